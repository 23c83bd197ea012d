// An empty program. Its size is subtracted from the size of a program with the SDK.
#include <iostream>

int main() { std::cout << "0\n"; }
