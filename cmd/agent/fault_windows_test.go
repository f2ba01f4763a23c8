package main

// mainWithFault is the program: there is no signal to have a fault at.
func mainWithFault() { main() }
