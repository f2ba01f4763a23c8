package settings

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const openFlags = 0

func systemPath() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	if err != nil { // the default of Windows
		dir = `C:\ProgramData`
	}
	return filepath.Join(dir, "agent", "policy.json")
}

// checkOwner does nothing: access control lists are not read.
func checkOwner(fs.FileInfo, int) error { return nil }
