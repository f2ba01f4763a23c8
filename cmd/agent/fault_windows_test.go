package main

// mainWithFault is the program. Windows has no signal for the fault.
func mainWithFault() { main() }
