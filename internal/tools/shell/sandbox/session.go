package sandbox

// Name is the only argument of a helper process: see Run.
const Name = "agent: sandbox"

// Report describes the support of this system.
type Report struct {
	Form   Form
	Reason string // why the form is not complete, for the user; "" if it is
}
