package tools

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/tools/shell"
)

// maxToldAttempts is how many attempts of one command a note names.
const maxToldAttempts = 3

// attemptsNote returns notes for the model about accesses that the sandbox refused; empty if there
// are none to tell. Programs try some all the time and succeed, so each is told once in a session, and
// none below the user's configuration and caches. If the command failed and blocked says why, there
// is no note.
func (s *shellTool) attemptsNote(l launched, o commandOutcome) string {
	if l.guard == nil || o.blocked != nil {
		return ""
	}
	var refused []string
	for _, a := range l.run.How().Kept.Attempts {
		port, local := shell.LoopbackPort(a.Target)
		switch {
		case a.Kind == shell.AttemptWrite && shell.MayWrite(a.Target) && !shell.IsUserState(a.Target):
			refused = append(refused, fmt.Sprintf("a write to %s", oneLine(a.Target)))
		case a.Kind == shell.AttemptConnect && !local:
			refused = append(refused, "a connection to "+a.Target)
		case a.Kind == shell.AttemptConnect && o.Code != 0 && shell.Explains(a, o.Output) && !slices.Contains(s.jobs.ports(), port):
			retry := ". If the server runs outside the sandbox, call this again with access \"network: WHY\", which the user must approve"
			if s.Unattended {
				retry = ""
			}
			return fmt.Sprintf("[nothing in the sandbox listens on %s: commands reach only servers that are jobs of this session%s]\n", a.Target, retry)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refused = slices.DeleteFunc(refused, func(text string) bool { return s.told[text] })
	if len(refused) == 0 {
		return ""
	}
	if s.told == nil {
		s.told = map[string]bool{}
	}
	for _, text := range refused {
		s.told[text] = true
	}
	more := ""
	if n := len(refused) - maxToldAttempts; n > 0 {
		refused, more = refused[:maxToldAttempts], fmt.Sprintf(" and %d more", n)
	}
	return "[the sandbox refused " + strings.Join(refused, ", ") + more + "]\n"
}

// ports returns the ports on which the running jobs listen in the sandbox. A nil j has none.
func (j *Jobs) ports() (all []uint16) {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.jobs {
		if b.state == "" {
			all = append(all, b.run.Listeners()...)
		}
	}
	return all
}
