package screen

// Exit is what is left of the screen for the one that called it.
type Exit struct {
	LastAnswer string // of the model in this session, as markdown; empty if there was none
	Turns      int    // of the session, the resumed ones included
	Jobs       int    // that ran in the background when it was left
	Lent       bool   // the user's editor still has the terminal

	BaseURL string // of the model that the session had at the end, without secrets
	Host    string // where its requests went, if that is not the provider's own address

	// What the person wants next; at most one of them. All zero is to leave.
	Open string // the session of that ID
	Fork *int   // a fork of this session that keeps so many of its events, as event.Rewound does
	New  bool   // a new session

	// Draft is what the editor of the fork begins with.
	Draft string
}
