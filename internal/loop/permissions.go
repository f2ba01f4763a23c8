package loop

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// permissions decides which calls may run, by the permission mode and the standing
// permissions of the session. It is safe for concurrent use.
type permissions struct {
	paths    policy.Paths
	attended bool                            // there is a user
	rec      *recorder                       // shows notices
	forked   bool                            // the session is a new fork
	stored   []standing.Grant                // of the project, when the session began
	remember func(standing.Grant) error      // stores a permission of the project; may be nil
	sealer   func() (standing.Sealer, error) // see newSealer
	sandbox  func() policy.Sandbox           // of commands; nil means that paths holds it

	modes []event.Mode // that the user may choose; nil for all
	file  string       // with the permissions of the project, for display

	// forget and forgetRule remove a permission of the project. Both may be nil.
	forget     func(standing.Grant) error
	forgetRule func(rule.Rule) error

	mu           sync.Mutex
	policy       policy.Policy
	projectRules int // how many of the policy's rules, at the end, are of the project
}

func newPermissions(o Options, rec *recorder) *permissions {
	p := &permissions{
		paths: o.Permissions.Paths.ForSession(), attended: o.Permissions.Attended, rec: rec, forked: o.Permissions.Forked, sealer: newSealer(rec.header().ID, o.Permissions.Key),
		stored: o.Permissions.Remembered, remember: o.Permissions.Remember, forget: o.Permissions.Forget, modes: o.Permissions.Modes, file: o.Permissions.ProjectFile, forgetRule: o.Permissions.ForgetRule,
		policy: policy.Policy{Mode: o.Permissions.Mode, Rules: slices.Concat(o.Permissions.Rules, o.Permissions.ProjectRules)}, projectRules: len(o.Permissions.ProjectRules),
	}
	p.reset()
	if o.Permissions.Sandbox != nil {
		p.sandbox = sync.OnceValue(func() policy.Sandbox {
			s, notice := o.Permissions.Sandbox()
			_ = rec.emit(event.SandboxNow{Form: sandboxForms[s], Why: notice})
			if notice != "" {
				rec.notify(notice)
			}
			return s
		})
	}
	return p
}

// sandboxForms are the sandboxes as front ends know them.
var sandboxForms = map[policy.Sandbox]event.SandboxForm{
	policy.SandboxMissing: event.SandboxMissing, policy.SandboxPartial: event.SandboxPartial, policy.SandboxFull: event.SandboxFull,
}

// reset replaces the standing permissions with those of the project. The caller holds mu,
// or is the only one that knows p.
func (p *permissions) reset() {
	p.policy = policy.Policy{Mode: p.policy.Mode, Rules: p.policy.Rules}
	for _, g := range p.stored {
		p.policy.Allow(g)
	}
}

// newSealer returns a function that creates the sealer of a session on first use. If
// the function returns an error, the seals are valid until the program exits.
func newSealer(session string, key func() ([]byte, error)) func() (standing.Sealer, error) {
	return sync.OnceValues(func() (standing.Sealer, error) {
		s := standing.Sealer{Session: session}
		var err error
		if key != nil {
			s.Key, err = key()
		}
		if len(s.Key) == 0 {
			s.Key = []byte(rand.Text())
		}
		return s, err
	})
}

// Mode returns the permission mode.
func (p *permissions) Mode() event.Mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.policy.Mode
}

// setMode sets the permission mode and records it. If the system policy excludes the
// mode, it notifies the user and records the mode that stays.
func (p *permissions) setMode(to event.Ref, m event.Mode) {
	if len(p.modes) > 0 && !slices.Contains(p.modes, m) {
		p.rec.answer(to, "The system policy does not allow permission mode "+m.Name()+".")
		to, m = event.Ref{}, p.Mode()
	}
	p.mu.Lock()
	p.policy.Mode = m
	p.mu.Unlock()
	_ = p.rec.emit(&event.ModeSet{Meta: p.rec.meta(), Ref: to, Mode: string(m)})
}

// resumeMode sets the recorded mode of a resumed session, if the user may choose that mode.
func (p *permissions) resumeMode(m event.Mode) {
	if !slices.Contains(event.Modes, m) || len(p.modes) > 0 && !slices.Contains(p.modes, m) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.policy.Mode = m
}

// Describe returns what a standing permission covers, in words.
func (p *permissions) Describe(g standing.Grant) string { return p.paths.Describe(g) }

// Judge looks up the facts about a call and returns the verdict.
func (p *permissions) Judge(ctx context.Context, c tools.Call) policy.Verdict {
	return p.judge(ctx, c, "", p.paths)
}

// judge is Judge in a mode that is at most widest, for a workspace with these paths.
func (p *permissions) judge(ctx context.Context, c tools.Call, widest event.Mode, paths policy.Paths) policy.Verdict {
	if p.sandbox != nil && c.Effect == tools.Execute {
		paths.Sandbox = p.sandbox()
	}
	f := paths.Look(ctx, c)
	if ctx.Err() != nil { // incomplete facts must not end a permission
		return policy.Verdict{Ask: true, Why: "the turn was interrupted"}
	}
	return p.inMode(widest, paths.Copy, func() policy.Verdict {
		v := p.policy.AfterReading(c, p.policy.Judge(c, f))
		switch {
		case v.Ask && !p.attended:
			v.Remedies = p.policy.Remedies(c, f, p.modes)
		case v.Ask && p.policy.Mode == event.ModeAsk && event.Narrower(event.ModeAuto, widest) == event.ModeAuto:
			v.Auto = (len(p.modes) == 0 || slices.Contains(p.modes, event.ModeAuto)) && p.policy.RunsIn(event.ModeAuto, c, f)
		}
		return v
	})
}

// inMode returns what judge returns while the policy has the mode of a delegate.
func (p *permissions) inMode(widest event.Mode, inCopy bool, judge func() policy.Verdict) policy.Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	mode := p.policy.Mode
	defer func() { p.policy.Mode = mode }()
	p.policy.Mode = modeOf(mode, widest, inCopy)
	return judge()
}

// modeOf returns the mode of a delegate of a session in mode: at most widest. In a copy
// of the workspace, file edits need no approval, because it is asked for the changes
// as a whole.
func modeOf(mode, widest event.Mode, inCopy bool) event.Mode {
	if mode = event.Narrower(mode, widest); mode == event.ModeAsk && inCopy {
		return event.ModeAuto
	}
	return mode
}

// narrowed are the permissions of a session for one of its delegates. They follow the
// mode of the session, but are never wider than widest.
type narrowed struct {
	*permissions
	widest event.Mode
	at     policy.Paths // of the delegate's workspace
}

// Mode returns the permission mode of the delegate.
func (n narrowed) Mode() event.Mode { return modeOf(n.permissions.Mode(), n.widest, n.at.Copy) }

// Describe returns what a standing permission covers, in words.
func (n narrowed) Describe(g standing.Grant) string { return n.at.Describe(g) }

// Judge is permissions.Judge for the delegate.
func (n narrowed) Judge(ctx context.Context, c tools.Call) policy.Verdict {
	return n.judge(ctx, c, n.widest, n.at)
}

// grant makes an offer a standing permission and returns it sealed, with those that were
// offered together with it.
func (p *permissions) grant(offer standing.Grant) *standing.Grant {
	s, err := p.sealer()
	if err != nil {
		p.rec.notify(fmt.Sprintf("The permission applies until the program exits: %v.", err))
	}
	var given []standing.Grant
	for _, g := range offer.Each() {
		g = s.Seal(g)
		p.mu.Lock()
		kept := p.policy.Allow(g)
		p.mu.Unlock()
		if p.remembers(g) {
			p.store(kept)
		}
		given = append(given, g)
	}
	given[0].With = given[1:]
	return &given[0]
}

// remembers reports whether a permission is for the project, so that the log of a session
// does not restore it.
func (p *permissions) remembers(g standing.Grant) bool { return g.Prefix && p.remember != nil }

// store stores a permission for later sessions in the workspace. It does not apply to
// the copy of a workspace, which does not last.
func (p *permissions) store(g standing.Grant) {
	if !p.paths.IsWorkspace(g.Dir) {
		return
	}
	g.Seal = "" // it is for this session
	if err := p.remember(g); err != nil {
		p.rec.notify(fmt.Sprintf("The permission applies until the program exits: %v.", err))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stored = append(slices.DeleteFunc(slices.Clone(p.stored), func(old standing.Grant) bool { return old.Scope == g.Scope }), g)
}

// NoteSource records that the model, or a delegate, has read content of a host or server. A
// delegate shares the permissions of the session, so this ends them for both.
func (p *permissions) NoteSource(source string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.policy.NoteSource(source)
}

// load replaces the standing permissions with those of the project and of a log.
func (p *permissions) load(log session.Standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reset()
	p.restore(&p.policy, log)
}

// restore adds to a policy the standing permissions of a log that apply, and what the
// model read between them. It returns how many permissions of the session apply: those
// with its seal, if there is a user. A permission of the project is added again where the
// user gave it, because a read may have ended it before.
func (p *permissions) restore(to *policy.Policy, log session.Standing) (valid int) {
	var s standing.Sealer // without a key no seal is valid
	if p.attended && len(log.Grants) > 0 {
		s, _ = p.sealer()
	}
	reads := log.Reads
	for i := range len(log.Grants) + 1 {
		for ; len(reads) > 0 && reads[0].Grants == i; reads = reads[1:] {
			to.NoteSource(reads[0].Source)
		}
		if i == len(log.Grants) {
			break
		}
		g := standing.Recorded(log.Grants[i])
		if !s.Valid(g) {
			continue
		}
		if p.remembers(g) {
			if j := slices.IndexFunc(p.stored, func(kept standing.Grant) bool { return kept.Scope == g.Scope }); j >= 0 {
				to.Allow(p.stored[j])
			}
			continue
		}
		to.Allow(g)
		valid++
	}
	return valid
}

// Limits of the notice that lists standing permissions.
const (
	maxListed = 10  // permissions
	maxScope  = 120 // characters of each
)

// showResumed emits a notice with the standing permissions of a resumed session:
// which apply, and why others do not.
func (p *permissions) showResumed(ctx context.Context, events []event.Durable) {
	var log session.Standing
	for _, e := range events {
		log.Add(e)
	}
	all := slices.DeleteFunc(slices.Clone(log.Grants), func(g event.Grant) bool { return p.remembers(standing.Recorded(g)) })
	if len(all) == 0 {
		return
	}
	if !p.attended {
		p.rec.notify(doNotApply(len(all), "of this session", " in non-interactive mode."))
		return
	}
	var latest policy.Policy // with one permission of each scope
	valid := p.restore(&latest, log)
	active, lines := p.describe(ctx, slices.DeleteFunc(latest.Grants(), p.remembers))
	if more := len(active) - maxListed; more > 0 {
		active = append(active[:maxListed], fmt.Sprintf("and %d more", more))
	}
	if len(active) > 0 {
		lines = append([]string{"Always allowed in this session: " + strings.Join(active, "; ") + "."}, lines...)
	}
	if void := p.void(all, valid); void != "" {
		lines = append(lines, void)
	}
	if len(lines) > 0 {
		p.rec.notify(strings.Join(lines, "\n"))
	}
}

// describe describes the grants that apply now, and explains why others ended.
func (p *permissions) describe(ctx context.Context, grants []standing.Grant) (active, ended []string) {
	for _, g := range grants {
		text := oneLine(p.paths.Describe(g), maxScope)
		if why := g.Ended(p.namedBy(ctx, g)); why != "" {
			ended = append(ended, fmt.Sprintf("The permission for %s ended: %s.", text, why))
		} else {
			active = append(active, text)
		}
	}
	return active, ended
}

// namedBy looks up the files that the command of a grant names now.
func (p *permissions) namedBy(ctx context.Context, g standing.Grant) standing.Named {
	if g.Kind != tools.Command {
		return standing.Named{}
	}
	return p.paths.Look(ctx, tools.Call{
		Effect: tools.Execute, Targets: []tools.Target{{Kind: g.Kind, Value: g.Value, Dir: g.Dir}},
	}).Named
}

// void explains which of the grants do not apply; empty if all do.
func (p *permissions) void(all []event.Grant, valid int) string {
	n, old := len(all)-valid, 0
	for _, g := range all {
		if g.Seal == "" {
			old++
		}
	}
	switch {
	case n == 0, p.rec.header().Parent != "" && !p.forked: // shown when the fork was made
		return ""
	case p.forked:
		return doNotApply(n, "of the original session", " in this fork.")
	case old == n:
		return doNotApply(n, "from an older version of agent", " any more: you will be asked again.")
	}
	return doNotApply(n, "in the log of this session", ": the seal is not valid, so something else wrote or copied the record, or the key was replaced.")
}

// doNotApply formats a sentence: n permissions, their origin, "do not apply", the rest.
func doNotApply(n int, from, rest string) string {
	verb := "do"
	if n == 1 {
		verb = "does"
	}
	return fmt.Sprintf("%s %s %s not apply%s", phrase.Count(n, "permission"), from, verb, rest)
}

// oneLine returns text on one line, truncated to limit characters.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
