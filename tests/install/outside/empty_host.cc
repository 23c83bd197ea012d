// An empty program. size_limits.sh subtracts its size from the size of a program with the SDK.
#include <iostream>

int main() { std::cout << "0\n"; }
