//go:build unix

package undo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/loop/undo"
	"agent/internal/sampling"
)

// histories is the number of random histories, unless STORM is set.
const histories = 24

// TestRandomHistories plays random histories of tools, commands, edits by the user, undo
// and redo, also with crashes, and compares the files with a model after each step.
func TestRandomHistories(t *testing.T) {
	runs := histories
	if testing.Short() {
		runs /= 2
	}
	runs = sampling.Runs(runs)
	var sum figures
	for seed := range uint64(runs) {
		for _, kills := range []bool{false, true} {
			if kills && seed%2 == 1 && !sampling.Whole() {
				continue
			}
			p := &play{session: newSession(t, nil), r: rand.New(rand.NewPCG(seed, 1)), kills: kills, figures: &sum}
			p.run(fmt.Sprintf("history %d, kills: %v", seed, kills))
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%+v", sum)
	t.Attr("promise", fmt.Sprintf("undo in %d random histories (undos %d, files compared %d, conflicts %d, crashes %d): wrong files, lost edits of the user, changes outside the workspace: 0",
		runs, sum.undos, sum.compared, sum.conflicts, sum.crashes))
	if sum.undos < runs || sum.conflicts == 0 || sum.merges == 0 || sum.crashes == 0 || sum.full == 0 {
		t.Errorf("the histories are too tame: %+v", sum)
	}
}

type figures struct{ undos, compared, conflicts, merges, crashes, full int }

// file is a file of the model. The agent writes the first part of a file, the user the
// last one, so that their changes merge.
type file struct {
	agent, user int // versions of the parts; the file does not exist if agent is 0
	mode        fs.FileMode
}

func (f file) text() string {
	return fmt.Sprintf("agent %d\n1\n2\n3\n4\n5\nuser %d.\n", f.agent, f.user)
}

// effect is what the model's agent did to a file. Unknown is set if a crash hid the
// state after it.
type effect struct {
	before, after file
	unknown       bool
}

// stage is a step of the model.
type stage struct {
	effects map[string][]effect
	dirs    bool // it made directories, which the model does not know
	undone  bool
	undid   []*stage // of an undo
	redo    bool
}

// play is a history that is being played.
type play struct {
	*session
	*figures
	r       *rand.Rand
	kills   bool
	tight   bool // the store is small
	files   map[string]file
	wild    map[string]bool // paths that the model does not know, because of a conflict
	stages  []*stage
	version int
	tokens  map[string]bool // texts of the user that must not be lost
	outside map[string]string
}

var names = []string{"a", "b", "d/c", "d/e/f", "d/e/g", "h/i", "h/j/k/l", "m"}

func (p *play) run(what string) {
	p.files, p.wild, p.tokens = map[string]file{}, map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"", "e", "j"} {
		p.must(os.MkdirAll(filepath.Join(p.beside(), dir), 0o755))
		for _, name := range []string{"c", "f", "i"} {
			_ = os.WriteFile(filepath.Join(p.beside(), dir, name), []byte("outside\n"), 0o644)
		}
	}
	p.outside = treeOf(p.t, p.beside())
	if p.tight = p.r.IntN(6) == 0; p.tight {
		p.limit = blobs.Limits{Pack: 16 << 10}
		p.session.full = p.giveUp
		p.open()
	}
	for _, name := range names[:4] {
		p.files[name] = file{agent: p.next(), mode: 0o644}
		p.write(name, p.files[name].text())
	}
	for i := range 12 {
		var did string
		switch n := p.r.IntN(10); {
		case n < 4:
			did = p.agentTurn()
		case n < 6:
			did = p.userEdit()
		case n < 8:
			did = p.goBack(undo.Back{Turns: 1 + p.r.IntN(2)})
		case n < 9:
			did = p.goBack(undo.Back{Redo: true})
		default:
			p.open() // a new program
			continue
		}
		p.check(fmt.Sprintf("%s, step %d, %s", what, i, did))
		if p.t.Failed() {
			return
		}
	}
	p.checkKept(what)
}

func (p *play) beside() string { return filepath.Join(filepath.Dir(p.dir), "outside") }

func (p *play) next() int { p.version++; return p.version }

// agentTurn plays a turn of a few calls.
func (p *play) agentTurn() (did string) {
	now := &stage{effects: map[string][]effect{}}
	p.stages = append(p.stages, now)
	crashed := false
	p.turn("turn", func() {
		for range 1 + p.r.IntN(4) {
			if p.r.IntN(6) == 0 {
				did += p.userEdit() + ", "
			}
			crashed = p.kills && p.r.IntN(8) == 0
			did += p.agentCall(now, crashed) + ", "
			if crashed {
				return
			}
		}
	})
	if crashed {
		p.crashes++
		p.open()
	}
	return "turn: " + did
}

// agentCall plays a call of a tool or a command. It can crash before, between or after
// its changes.
func (p *play) agentCall(now *stage, crash bool) string {
	touched := map[string]bool{}
	var do []func(c *command)
	for range 1 + p.r.IntN(3) {
		name := names[p.r.IntN(len(names))]
		if p.wild[name] || touched[name] {
			continue
		}
		touched[name] = true
		before := p.files[name]
		after := before
		switch {
		case before.agent > 0 && p.r.IntN(4) == 0:
			after = file{}
		case before.agent > 0 && p.r.IntN(4) == 0:
			after.mode = before.mode ^ 0o111
		default:
			after.agent = p.next()
			if before.agent == 0 {
				after.mode = 0o644
			}
		}
		do = append(do, func(c *command) {
			p.learn(name, before)
			now.add(name, effect{before, after, crash})
			if crash && p.r.IntN(2) == 0 {
				c.touch(name)
				return // killed between the two
			}
			p.files[name] = after
			switch {
			case after.agent == 0:
				c.remove(name)
			case after.agent != before.agent:
				if _, err := os.Lstat(filepath.Dir(p.in(name))); err != nil {
					now.dirs = true
				}
				c.write(name, after.text())
			default:
				c.chmod(name, after.mode)
			}
		})
	}
	if crash {
		func() {
			defer func() { _ = recover() }()
			p.session.run(func(c *command) {
				for _, f := range do {
					f(c)
				}
				panic("killed")
			})
		}()
	} else if changed := p.session.run(func(c *command) {
		for _, f := range do {
			f(c)
		}
	}); changed != nil && len(changed.Lost) > 0 {
		p.giveUp()
	}
	return fmt.Sprintf("call %v (crash %v)", slices.Sorted(maps.Keys(touched)), crash)
}

// giveUp makes the model know nothing more, because the store is full.
func (p *play) giveUp() {
	p.figures.full++
	clear(p.tokens) // the call was not strict, so its changes were made all the same
	for _, name := range names {
		p.wild[name] = true
	}
}

// learn notes what a crash has left at a path.
func (p *play) learn(name string, now file) {
	for _, s := range slices.Backward(p.stages) {
		if k := s.effects[name]; len(k) > 0 {
			if last := &k[len(k)-1]; last.unknown {
				last.after, last.unknown = now, false
			}
			return
		}
	}
}

// add notes an effect, as a part of the last one if nobody else changed the file since.
func (s *stage) add(name string, e effect) {
	k := s.effects[name]
	if n := len(k); n > 0 && (k[n-1].unknown || k[n-1].after == e.before) {
		k[n-1].after, k[n-1].unknown = e.after, e.unknown
	} else {
		k = append(k, e)
	}
	s.effects[name] = k
}

// userEdit changes a file as the user would.
func (p *play) userEdit() string {
	name := names[p.r.IntN(len(names))]
	f := p.files[name]
	if b, err := os.ReadFile(p.in(name)); err == nil {
		for token := range p.tokens { // the user replaces what they wrote
			if strings.Contains(string(b), token) {
				delete(p.tokens, token)
			}
		}
	}
	f.user = p.next()
	token := "user " + strconv.Itoa(f.user) + ".\n"
	switch n := p.r.IntN(12); {
	case n == 0 && !p.wild[name]: // a link leads out of the workspace
		dir := strings.Split(name, "/")[0]
		p.must(os.RemoveAll(p.in(dir)))
		p.must(os.Symlink(p.beside(), p.in(dir)))
		for _, other := range names {
			if other == dir || strings.HasPrefix(other, dir+"/") {
				p.wild[other] = true
			}
		}
		clear(p.tokens)
		return "link " + dir
	case p.wild[name] || f.agent == 0:
		return "nothing"
	case n == 1:
		p.must(os.WriteFile(p.in(name), []byte("own text, "+token), 0o644))
		p.wild[name] = true
	default:
		p.files[name] = f
		p.must(os.WriteFile(p.in(name), []byte(f.text()), 0o644))
	}
	p.tokens[token] = true
	return "edit " + name
}

// goBack undoes or redoes, in the model and on the disk.
func (p *play) goBack(b undo.Back) string {
	steps := p.chosen(b)
	undone := &stage{effects: map[string][]effect{}, undid: steps, redo: b.Redo}
	var conflicts []string
	for name, chain := range chain(steps) {
		if p.wild[name] {
			continue
		}
		cur := p.files[name]
		to, ok := revert(cur, chain)
		switch {
		case !ok:
			conflicts = append(conflicts, name)
		case to != cur:
			undone.effects[name] = []effect{{before: cur, after: to}}
		}
	}
	plan := p.plan(b)
	if len(plan.Items) == 0 {
		if len(undone.effects) > 0 {
			p.t.Errorf("nothing to do, want %v", undone.effects)
		}
		return "nothing to undo"
	}
	p.apply(b, plan, undone)
	p.undos++
	for _, c := range plan.Conflicts {
		p.wild[c.Shown] = true
	}
	for _, l := range plan.Lost {
		p.wild[l.Path] = true
	}
	for _, it := range plan.Items {
		if it.Merged {
			p.merges++
		}
	}
	for _, name := range conflicts {
		p.conflicts++
		if !p.wild[name] {
			p.t.Errorf("%s is not a conflict", name)
		}
	}
	for name, e := range undone.effects {
		p.learn(name, e[0].before)
	}
	p.stages = append(p.stages, undone)
	for _, s := range steps {
		s.undone = true
		for _, of := range s.undid {
			of.undone = false
		}
	}
	for name, e := range undone.effects {
		p.files[name] = e[0].after
	}
	return fmt.Sprintf("undo %+v of %d steps, %d items", b, len(steps), len(plan.Items))
}

// apply applies a plan, now and then in a program that is killed meanwhile.
func (p *play) apply(b undo.Back, plan *undo.Plan, undone *stage) {
	if p.kills && p.r.IntN(2) == 0 {
		before := p.tree()
		p.crashes++
		p.applyKilled(b, p.r.IntN(4000))
		p.open()
		_, err := p.restorer().Recover()
		p.must(err)
		if !cmp.Equal(before, p.tree()) {
			return
		}
		plan = p.plan(b)
	}
	out, err := p.restorer().Apply(context.Background(), plan)
	if err != nil {
		if !errors.Is(err, blobs.ErrFull) || !p.tight {
			p.t.Error(err)
		}
		p.giveUp()
		return
	}
	for _, l := range out.Lost {
		p.wild[l.Path] = true
	}
}

// chosen returns the steps to undo in the model, oldest first.
func (p *play) chosen(b undo.Back) []*stage {
	var steps []*stage
	for _, s := range slices.Backward(p.stages) {
		active := !s.undone && !s.redo && s.changes()
		switch {
		case b.Redo && active && s.undid == nil, b.Turns == 0 && !b.Redo:
			return steps
		case b.Redo && active:
			return []*stage{s}
		case active && s.undid == nil:
			steps = slices.Insert(steps, 0, s)
			b.Turns--
		}
	}
	return steps
}

func (s *stage) changes() bool {
	for _, k := range s.effects {
		if slices.ContainsFunc(k, func(e effect) bool { return e.unknown || e.before != e.after }) {
			return true
		}
	}
	return s.dirs || s.undid != nil
}

// chain returns the effects of steps on each file.
func chain(steps []*stage) map[string][]effect {
	all := &stage{effects: map[string][]effect{}}
	for _, s := range steps {
		for name, k := range s.effects {
			for _, e := range k {
				if e.unknown || e.before != e.after {
					all.add(name, e)
				}
			}
		}
	}
	return all.effects
}

// revert returns what is left of cur without the effects. It reports false for a
// conflict.
func revert(cur file, chain []effect) (file, bool) {
	for _, e := range slices.Backward(chain) {
		switch {
		case cur == e.before:
		case e.unknown || cur == e.after:
			cur = e.before
		case cur.agent == 0 || e.before.agent == 0 || e.after.agent == 0:
			return cur, false
		default:
			a, ok1 := merged(cur.agent, e.after.agent, e.before.agent)
			u, ok2 := merged(cur.user, e.after.user, e.before.user)
			m, ok3 := merged(cur.mode, e.after.mode, e.before.mode)
			if cur = (file{a, u, m}); !ok1 || !ok2 || !ok3 {
				return cur, false
			}
		}
	}
	return cur, true
}

func merged[T comparable](cur, after, before T) (T, bool) {
	switch {
	case cur == after:
		return before, true
	case before == after, cur == before:
		return cur, true
	}
	return cur, false
}

// check compares the workspace with the model.
func (p *play) check(what string) {
	p.t.Helper()
	got, want := map[string]string{}, map[string]string{}
	for name, f := range p.files {
		if f.agent > 0 && !p.wild[name] {
			want[name] = f.mode.String() + " " + f.text()
		}
	}
	for name, text := range p.tree() {
		if strings.Contains(name, ".agent-") {
			p.t.Errorf("%s: %s was left", what, name)
		}
		if !p.wild[name] && !strings.HasPrefix(text, "d") && !strings.HasPrefix(text, "link ") {
			got[name] = text
		}
	}
	p.compared += len(want)
	if d := cmp.Diff(want, got); d != "" {
		p.t.Errorf("%s (-want +got):\n%s", what, d)
	}
	if d := cmp.Diff(p.outside, treeOf(p.t, p.beside())); d != "" {
		p.t.Errorf("%s: outside of the workspace (-want +got):\n%s", what, d)
	}
}

var hashes = regexp.MustCompile(`"hash":"([0-9a-f]{64})"`)

// checkKept checks that every text of the user is in the tree or the pack, and the size
// of the pack.
func (p *play) checkKept(what string) {
	var all strings.Builder
	for _, text := range p.tree() {
		all.WriteString(text)
	}
	for n, err := range p.pack.Notes(0) {
		p.must(err)
		for _, m := range hashes.FindAllSubmatch(n.Body, -1) {
			if b, err := p.pack.Read(string(m[1])); err == nil {
				all.Write(b)
			}
		}
	}
	for token := range p.tokens {
		if !strings.Contains(all.String(), token) {
			p.t.Errorf("%s: %q is lost", what, token)
		}
	}
	if info, err := os.Stat(p.path); err == nil && p.tight && info.Size() > p.limit.Pack {
		p.t.Errorf("%s: the pack has %d bytes", what, info.Size())
	}
}
