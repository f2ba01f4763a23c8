package credentials

import "io/fs"

const privateFlags = 0

// private returns true: only the user can access %LocalAppData%.
func private(fs.FileInfo) bool { return true }
