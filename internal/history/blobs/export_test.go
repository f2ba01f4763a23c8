package blobs

// File is the file of a pack.
type File = file

// WrapFiles replaces the files of packs that are opened from now on, until the returned
// function is called.
func WrapFiles(wrap func(File) File) (restore func()) {
	old := openFile
	openFile = func(path string, flag int) (file, error) {
		f, err := old(path, flag)
		if err != nil {
			return nil, err
		}
		return wrap(f), nil
	}
	return func() { openFile = old }
}

// PartSize is the size from which on contents are stored in parts.
const PartSize = partSize

// RecordSize returns the size of a record with a payload of n bytes.
func RecordSize(n int) int64 { return recordSize(n) }

// LockDirectory waits for the lock that is held while packs are removed to make room.
func LockDirectory(dir string) (unlock func(), err error) { return lockDirectory(dir) }
