package standing

import "io/fs"

const keyFlags = 0

// private returns true: only the user can access %LocalAppData%.
func private(fs.FileInfo) bool { return true }
