package history

// File is what a Log writes to.
type File = file

// Wrap puts something between a log and its file, which must be there.
func (l *Log) Wrap(wrap func(File) File) { l.f = wrap(l.f) }
