package main

// mainWithFault runs the program. Windows has no signal that injects the fault.
func mainWithFault() { main() }
