package screen

// Trust holds what /trust needs. Its functions may block; they are nil if the session has
// nothing to confirm, as in the demo.
type Trust struct {
	// Items reads what the repository configures. Problems name files that cannot be used.
	Items func() (all []TrustItem, problems []string)
	// Decide stores that the user confirms an item with the content that it has, or revokes
	// it.
	Decide func(item TrustItem, confirm bool) error
}

// TrustItem is something that the repository configures: see package trust. Its
// texts are untrusted, except for Effect.
type TrustItem struct {
	Kind, Name, File, Content string

	Effect    string // what the content does once it is used, in sentences of the program
	Live      bool   // a confirmation applies to the running session
	Offer     bool   // the repository does not configure it; it could be used there
	Confirmed bool
	Changed   bool // the user has confirmed earlier content, but not this
}
