//go:build !linux && !darwin

package confine

import "os"

const readFlags = 0

func stampOf(info os.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
}
