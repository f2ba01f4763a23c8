package sandbox

// Name is the only argument of a helper process: see Run.
const Name = "agent: sandbox"

// Report describes the support of this system.
type Report struct {
	Form   Form
	Reason string // why the form is not complete, or does not do everything, for the user; "" if neither
	// Notify is set if Command.Held works: file changes can be seen before they happen.
	Notify bool
}

// Held is a system call that waits until the caller of Start has seen it.
type Held struct {
	Number uintptr
	// Bits are flags in the argument Arg. The call is held if one of them is set, or if
	// Bits is 0.
	Arg  int
	Bits uint32
}
