//go:build !linux

package main

// mainProbe and mainControl are only for Linux, where processes are files.
func mainProbe()   {}
func mainControl() {}
