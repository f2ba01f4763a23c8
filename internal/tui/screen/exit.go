package screen

// Exit is the result of a front end.
type Exit struct {
	LastAnswer string // of the model, as Markdown; empty if there was none
	Turns      int    // of the whole session
	Jobs       int    // background jobs that were running
	Lent       bool   // the user's editor still has the terminal

	BaseURL string // of the last model, without secrets
	Host    string // of BaseURL, if it is not the provider's own address

	// At most one of these is set. If none is, the user quits.
	Open string // resume the session with this ID
	Fork *int   // fork this session and keep that many events, counted as in event.Rewound
	New  bool   // start a new session

	// Draft is the initial text in the editor of a fork.
	Draft string
}
