package sandbox

// Overlay is a directory of which commands see a copy: they read it, and what they change goes to
// another directory. It needs the form Complete. The paths are absolute and have no links.
type Overlay struct {
	Lower string // the directory
	Dir   string // holds the directories UpperPart, WorkPart and ViewPart
}

// The parts of Overlay.Dir.
const (
	UpperPart = "upper" // what commands have changed
	WorkPart  = "work"  // used by the kernel; it must be empty when the overlay is mounted
	ViewPart  = "view"  // the mount point, which only commands see
)
