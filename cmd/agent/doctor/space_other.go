//go:build !linux && !darwin

package doctor

// freeSpace reports that the free space is unknown.
func freeSpace(string) (bytes int64, known bool) { return 0, false }
