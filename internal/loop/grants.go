package loop

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// newSealer returns what seals and checks the standing permissions of a session,
// made when it is first needed. If it returns an error, the seals are valid until
// the program exits.
func newSealer(o Options) func() (policy.Sealer, error) {
	return sync.OnceValues(func() (policy.Sealer, error) {
		s := policy.Sealer{}
		if o.Log != nil {
			s.Session = o.Log.Header().ID
		}
		var err error
		if o.Key != nil {
			s.Key, err = o.Key()
		}
		if len(s.Key) == 0 {
			s.Key = []byte(rand.Text())
		}
		return s, err
	})
}

// judge looks at the files that matter for a call and judges it.
func (a *Agent) judge(ctx context.Context, c tools.Call) policy.Verdict {
	a.mu.Lock()
	uses := a.policy.Uses(c)
	a.mu.Unlock()
	var f policy.Facts
	if uses {
		f = a.o.Paths.Look(ctx, c)
		if ctx.Err() != nil { // the look was cut short, so it must not end a permission
			return policy.Verdict{Ask: true, Why: "the turn was interrupted"}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.policy.Judge(c, f)
}

// grant makes an offer a standing permission and returns it as the log keeps it.
func (a *Agent) grant(offer policy.Grant) *policy.Grant {
	s, err := a.sealer()
	if err != nil {
		_ = a.emit(event.Notice{Text: fmt.Sprintf("The permission applies until the program exits: %v.", err)})
	}
	g := s.Seal(offer)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.policy.Allow(g)
	return &g
}

// valid returns the grants of a log that hold: those of this session, if there is
// a user.
func (a *Agent) valid(grants []event.Grant) []policy.Grant {
	if !a.o.Attended || len(grants) == 0 {
		return nil
	}
	s, _ := a.sealer() // without the key none is valid
	var out []policy.Grant
	for _, record := range grants {
		if g := policy.Recorded(record); s.Valid(g) {
			out = append(out, g)
		}
	}
	return out
}

// Limits of the notice that lists standing permissions.
const (
	maxListed = 10  // permissions
	maxScope  = 120 // characters of each
)

// listGrants tells the user which standing permissions of a resumed session
// apply, and which do not and why.
func (a *Agent) listGrants(ctx context.Context, events []event.Durable) {
	var all []event.Grant
	for _, e := range events {
		if d, ok := e.(*event.Decided); ok && d.Grant != nil {
			all = append(all, *d.Grant)
		}
	}
	if len(all) == 0 {
		return
	}
	if !a.o.Attended {
		_ = a.emit(event.Notice{Text: phrase.Count(len(all), "permission") + " of this session " + doOf(len(all)) + " not apply to a run without a user."})
		return
	}
	valid := a.valid(all)
	last := map[policy.Scope]policy.Grant{}
	for _, g := range valid {
		last[g.Scope] = g
	}
	var active, lines []string
	for _, g := range valid {
		if _, ok := last[g.Scope]; !ok {
			continue // listed
		}
		now := last[g.Scope]
		delete(last, g.Scope)
		text := oneLine(a.o.Paths.Describe(g.Scope), maxScope)
		if ended := now.Ended(a.factsOf(ctx, now)); ended != "" {
			lines = append(lines, fmt.Sprintf("The permission for %s ended: %s.", text, ended))
			continue
		}
		active = append(active, text)
	}
	if more := len(active) - maxListed; more > 0 {
		active = append(active[:maxListed], fmt.Sprintf("and %d more", more))
	}
	if len(active) > 0 {
		lines = append([]string{"Always allowed in this session: " + strings.Join(active, "; ") + "."}, lines...)
	}
	if void := a.void(all, len(valid)); void != "" {
		lines = append(lines, void)
	}
	if len(lines) > 0 {
		_ = a.emit(event.Notice{Text: strings.Join(lines, "\n")})
	}
}

// listTime is how long the files of standing permissions may take to be read for
// a list of them.
const listTime = 2 * time.Second

// listPermissions emits the standing permissions that apply now. A file that does
// not answer keeps no other command waiting.
func (a *Agent) listPermissions() {
	a.asides.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), listTime)
		defer stop()
		a.mu.Lock()
		grants := a.policy.Grants()
		a.mu.Unlock()
		var now event.PermissionsNow
		for _, g := range grants {
			if g.Ended(a.factsOf(ctx, g)) == "" {
				now.Allowed = append(now.Allowed, oneLine(a.o.Paths.Describe(g.Scope), maxScope))
			}
		}
		_ = a.emit(now)
	})
}

// factsOf looks at what a grant for a command names now.
func (a *Agent) factsOf(ctx context.Context, g policy.Grant) policy.Facts {
	if g.Kind != tools.Command {
		return policy.Facts{}
	}
	return a.o.Paths.Look(ctx, tools.Call{
		Effect: tools.Execute, Targets: []tools.Target{{Kind: g.Kind, Value: g.Value, Dir: g.Dir}},
	})
}

// void says that some of the grants do not apply, and why.
func (a *Agent) void(all []event.Grant, valid int) string {
	n := len(all) - valid
	old := 0
	for _, g := range all {
		if g.Seal == "" {
			old++
		}
	}
	switch {
	case n == 0:
		return ""
	case a.o.Log != nil && a.o.Log.Header().Parent != "" && !a.o.Forked: // it was shown when the fork was made
		return ""
	case a.o.Forked:
		return fmt.Sprintf("%s of the original session %s not apply in this fork.", phrase.Count(n, "permission"), doOf(n))
	case old == n:
		return fmt.Sprintf("%s from an older version of agent %s not apply any more: you will be asked again.", phrase.Count(n, "permission"), doOf(n))
	}
	return fmt.Sprintf("%s in the log of this session %s not apply: the seal is not valid, so something else wrote or copied the record, or the key was replaced.", phrase.Count(n, "permission"), doOf(n))
}

// doOf returns the verb for a number of things.
func doOf(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// oneLine returns text on one line of at most so many characters.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
