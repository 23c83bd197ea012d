// An empty program, to compare the size of a program with the SDK.
#include <iostream>

int main() { std::cout << "0\n"; }
