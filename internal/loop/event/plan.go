package event

// Plan is what the model presents in permission mode plan.
type Plan struct {
	Title  string   `json:"title"`
	Steps  []string `json:"steps" jsonschema:"one line each"`
	Files  []string `json:"files,omitempty"`
	Risks  []string `json:"risks,omitempty"`
	Checks []string `json:"checks,omitempty"`
	Notes  string   `json:"notes,omitempty"`
}

// PlanSet is a plan that the model presented, with the decision of the user. The
// newest approved one stays in the context of the model.
type PlanSet struct {
	Meta
	ID    string    `json:"id"`   // of the tool call
	Plan  Plan      `json:"plan"` // as approved, if the user edited it
	Text  string    `json:"text"` // the same as Markdown
	State PlanState `json:"state"`
	Mode  string    `json:"mode,omitempty"` // a Mode: in which the turn continues after an approval
	// Edited is set if the user changed the plan before approving it.
	Edited bool   `json:"edited,omitempty"`
	Note   string `json:"note,omitempty"` // the user's comment
}

// PlanState is the decision on a plan.
type PlanState string

// The states of a plan.
const (
	PlanPresented PlanState = "presented" // without a user to decide
	PlanApproved  PlanState = "approved"
	PlanRejected  PlanState = "rejected"
)
