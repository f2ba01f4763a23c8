package loop

import (
	"fmt"
	"time"
)

// Surveyed tells of all that a resumed session holds, of which a front end was
// given the last events alone. It is sent once, before any other event; a new
// session has none.
//
// Events are numbered from 0 as Rewound counts them.
type Surveyed struct {
	Events   int        // how many the session has
	Prompts  []Said     // what the person said, oldest first
	Bounds   []int      // the numbers at which a page may begin, ascending: prompts that begin a turn, and what follows the end of a step
	Cost     float64    // US dollars, of the turns that were kept
	Turns    int        // that were kept
	Todo     []TodoItem // the model's plan, as all that follows is now
	Title    string
	Model    string   // PROVIDER/NAME
	Mode     string   // policy.Mode
	Problems []string // damage that was found, for people
}

// Said is something that the person said.
type Said struct {
	Text    string
	Time    time.Time
	At      int  // the number of its event
	Steered bool // a turn that was already running
}

func (Surveyed) isEvent() {}

// Page returns the events of the session from number from up to, and without,
// number to. It may be called by any goroutine, at any time.
func (a *Agent) Page(from, to int) ([]Event, error) {
	g, err := a.session()
	if err != nil {
		return nil, err
	}
	if from < 0 || from > to || to > len(g.events) {
		return nil, fmt.Errorf("there is no page from %d to %d in a session of %d events", from, to, len(g.events))
	}
	var page []Event
	for _, e := range g.events[from:to] {
		page = append(page, e)
	}
	return page, nil
}
