// What a program weighs without the SDK.
#include <iostream>

int main() { std::cout << "0\n"; }
