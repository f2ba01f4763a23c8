// This file lets the functions of fork_linux.go that package runtime implements
// have no body.
