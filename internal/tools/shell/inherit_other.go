//go:build !linux

package shell

// keepDescriptors has no way to do its work here.
func keepDescriptors() {}
