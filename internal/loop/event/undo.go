package event

// The events of undoing file changes.
type (
	// FilesChanged is what a turn, a typed command or a job did to files. It follows the
	// ToolEnd or ShellEnd, or precedes the TurnEnd for what jobs did. The old contents
	// are in the pack of the session.
	FilesChanged struct {
		Meta
		ID      string   `json:"id,omitempty"`    // of the tool call or typed command; empty for several
		Files   int      `json:"files"`           // how many files differ afterwards
		Added   int      `json:"added"`           // lines
		Removed int      `json:"removed"`         // lines
		Paths   []string `json:"paths,omitempty"` // the first ones
		// Lost are paths of changes that cannot be undone, each with the reason.
		Lost []LostChange `json:"lost,omitempty"`
	}
	// Undone is an undo or a redo of file changes. It is itself a step that can be
	// undone. The model reads it with its next request.
	Undone struct {
		Meta
		Ref
		Redo  bool `json:"redo,omitempty"`
		Turns int  `json:"turns"` // how many were undone or redone
		// Restored are the paths that have their earlier state again, Merged those whose
		// later changes by others were kept as well, and Conflicts those that were not
		// changed, because others changed the same lines.
		Restored  []string `json:"restored,omitempty"`
		Merged    []string `json:"merged,omitempty"`
		Conflicts []string `json:"conflicts,omitempty"`
		// Lost are paths that could not be restored, each with the reason.
		Lost []LostChange `json:"lost,omitempty"`
		// Unsaved are paths whose content before the undo was not kept, each with the reason: for
		// them the undo cannot be undone.
		Unsaved []LostChange `json:"unkept,omitempty"`
		// Ignored is how many files that git ignores were created by commands and stay.
		Ignored int `json:"ignored,omitempty"`
		// Git are the commands that would undo commits and switches of branches. They were
		// not run.
		Git []string `json:"git,omitempty"`
	}
	// LostChange is a change that cannot be undone.
	LostChange struct {
		Path string `json:"path"` // empty for several
		Why  string `json:"why"`  // for the user: "it is larger than 64 MB"
	}
)

// The previews of undoing.
type (
	// UndoPlan answers a PlanUndo.
	UndoPlan struct {
		Ref
		ID    string        `json:"id"` // for ApplyUndo; empty if there is nothing to do
		Redo  bool          `json:"redo,omitempty"`
		Turns []ChangedTurn `json:"turns,omitempty"` // those to undo, newest first
		Diffs []Diff        `json:"diffs,omitempty"` // from the files as they are to what they would be
		// Merged, Conflicts, Lost, Unsaved, Ignored and Git are as in Undone.
		Merged    []string     `json:"merged,omitempty"`
		Conflicts []Diff       `json:"conflicts,omitempty"` // from the file as it is to the state that is not restored
		Lost      []LostChange `json:"lost,omitempty"`
		Unsaved   []LostChange `json:"unkept,omitempty"`
		Ignored   int          `json:"ignored,omitempty"`
		Git       []string     `json:"git,omitempty"`
		Why       string       `json:"why,omitempty"` // why there is nothing to do, for the user
	}
	// ChangesNow answers a ListChanges: all file changes since the session began.
	ChangesNow struct {
		Ref
		ID    string       `json:"id"` // for UndoChanges
		Diffs []Diff       `json:"diffs,omitempty"`
		Lost  []LostChange `json:"lost,omitempty"`
		Why   string       `json:"why,omitempty"` // why there are none, for the user
	}
	// ChangedTurn is a turn that changed files.
	ChangedTurn struct {
		Number   int    `json:"number"` // from 1, in the order of the session
		At       int    `json:"at"`     // the number of the event of its prompt; -1 if it was rewound
		Prompt   string `json:"prompt"` // its first line
		Files    int    `json:"files"`
		Added    int    `json:"added"`
		Removed  int    `json:"removed"`
		Commands int    `json:"commands"` // that ran
		// Git is set if the turn changed the state of git, such as a branch or what is staged.
		Git bool `json:"git,omitempty"`
	}
)

// The commands of undoing. During a turn they are rejected with a Notice.
type (
	// PlanUndo requests an UndoPlan.
	PlanUndo struct {
		Ref
		Redo  bool `json:"redo,omitempty"`
		Turns int  `json:"turns,omitempty"` // 0: back to before the last turn that changed files
		// To, if not nil, is the number of the event of a prompt: everything since is undone.
		To *int `json:"to,omitempty"`
		// Removes also removes the ignored files that commands created.
		Removes bool `json:"removes,omitempty"`
	}
	// ApplyUndo performs the UndoPlan of that ID if nothing has changed since. It is
	// answered with an Undone, or with a Notice.
	ApplyUndo struct {
		Ref
		ID string `json:"id"`
		// Conversation also rewinds the conversation to before the first of the turns.
		Conversation bool `json:"conversation,omitempty"`
	}
	// ListChanges requests a ChangesNow.
	ListChanges struct{ Ref }
	// UndoChanges undoes some hunks of the ChangesNow of that ID. It is answered with an
	// Undone, or with a Notice.
	UndoChanges struct {
		Ref
		ID    string     `json:"id"`
		Hunks []HunkPick `json:"hunks"`
	}
	// HunkPick names hunks of one Diff.
	HunkPick struct {
		Path  string `json:"path"`
		Hunks []int  `json:"hunks,omitempty"` // from 0, in the order of Unified; nil means all
	}
)
