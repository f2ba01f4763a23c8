package credentials

import "io/fs"

const privateFlags = 0

// owned and private return true: only the user can access %LocalAppData%.
func owned(fs.FileInfo) bool { return true }

func private(fs.FileInfo) bool { return true }
