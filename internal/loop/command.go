package loop

import (
	"agent/internal/llm"
	"agent/internal/loop/policy"
)

// Command is what a front end wants of a running agent.
type Command interface{ isCommand() }

// The commands.
type (
	// Prompt begins a turn, or steers the one that runs: the model gets it with
	// its next request.
	Prompt struct {
		Text   string
		Images []llm.Image
	}
	// Interrupt ends the turn that runs, if any. A second one kills at once what
	// the turn still waits for.
	Interrupt struct{}
	// Answer answers the Ask of the same ID. One that nobody waits for is
	// dropped.
	Answer struct {
		ID       string
		Decision Decision
		Choices  []int  // of the Ask's, from 0, where the Decision is Answered
		Note     string // what the person says with it, or in place of a choice; the model reads it
	}
	// ListJobs wants a JobsNow.
	ListJobs struct{}
	// StopJob ends what runs in the background under that id.
	StopJob struct{ ID int }
	// Rename gives the session a title.
	Rename struct{ Title string }
	// Rewind takes back what was said last: see Rewound. While a turn runs it is
	// refused with a Notice.
	Rewind struct{ Keep int }
	// Compact cuts old content from what the model is told: see Compacted. While
	// a turn runs it is refused with a Notice.
	Compact struct{}
	// SaveDraft keeps what the person has not sent yet for when the program is
	// gone. It replaces what was kept before.
	SaveDraft struct{ Draft Draft }
	// SetMode changes what is asked about, from the next tool call on.
	SetMode struct{ Mode policy.Mode }
	// SetModel changes the model, from the next step on.
	SetModel struct {
		Model  string // PROVIDER/NAME
		Effort string // how hard it is to think; empty for what is configured, DefaultEffort for its own
	}
	// Found brings a model that was looked for while the program started. It
	// answers from here on, unless something was said already. Model is empty if
	// none was found that is used automatically; Notices tell of the others.
	Found struct {
		Model   string // PROVIDER/NAME
		Why     string // why it was chosen, in words that follow "because"
		Notices []string
	}
)

func (Prompt) isCommand()    {}
func (Interrupt) isCommand() {}
func (Answer) isCommand()    {}
func (ListJobs) isCommand()  {}
func (StopJob) isCommand()   {}

// DefaultEffort, as the effort of a SetModel, leaves it to the model.
const DefaultEffort = "default"

func (SetMode) isCommand()   {}
func (SetModel) isCommand()  {}
func (Found) isCommand()     {}
func (Rename) isCommand()    {}
func (Rewind) isCommand()    {}
func (Compact) isCommand()   {}
func (SaveDraft) isCommand() {}
