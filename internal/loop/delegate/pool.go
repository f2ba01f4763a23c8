package delegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

const (
	// DefaultMax is how many delegates work at once by default.
	DefaultMax = 8
	// listEvery is the minimum time between two events that list the delegates.
	listEvery = 100 * time.Millisecond
	// maxListed limits the length of a list, and the number of delegates that work or
	// wait, because the user must be able to see and stop all of them.
	maxListed = 50
)

// Options configure a Pool.
type Options struct {
	// Agents returns the agents that can be started now. Nil for none.
	Agents func() []Agent
	Launch Launch
	Max    int // how many delegates work at once; 0 for DefaultMax
	// Confirmed reports whether the user has confirmed an agent of the repository, with
	// exactly this content. Confirm stores a confirmation.
	Confirmed func(Agent) bool
	Confirm   func(Agent) error
	// Forward sends the events of all delegates to the front end, as if each of them
	// were watched.
	Forward bool
	Now     func() time.Time // nil for the real clock
}

// Pool holds the delegates of a session. Its methods are safe for concurrent use, and
// do not block unless they say so.
type Pool struct {
	o       Options
	text    func() string // description of the tool
	slots   chan struct{}
	changed chan struct{} // see Changed
	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	mu       sync.Mutex
	host     Host
	earlier  []event.Delegate // see Resume
	all      []*delegate      // by ID
	last     int              // the last ID
	calls    map[string]int   // IDs for tool calls that were prepared, by the ID of the call
	watched  int              // ID of the delegate whose events the front end gets; 0 for none
	finished []Finished
	timer    *time.Timer // until the next list is emitted; nil if nothing has changed
	closed   bool
}

// NewPool returns a pool without delegates. Attach must be called before its other
// methods.
func NewPool(o Options) *Pool {
	if o.Agents == nil {
		o.Agents = func() []Agent { return nil }
	}
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Pool{o: o, text: sync.OnceValue(func() string { return describe(o.Agents()) }), slots: make(chan struct{}, o.Max), changed: make(chan struct{}, 1), calls: map[string]int{}}
	p.ctx, p.cancel = context.WithCancel(context.Background()) // until Close: delegates may outlive a turn
	return p
}

// Attach sets the agent that delegates.
func (p *Pool) Attach(h Host) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.host = h
}

// Resume adds the delegates that ended before the session was resumed, by ID. It must be
// called before the first start.
func (p *Pool) Resume(earlier []event.Delegate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.earlier = earlier
	if n := len(earlier); n > 0 {
		p.last = max(p.last, earlier[n-1].ID)
	}
}

// Close stops all delegates and waits until they have ended.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.working.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}

// Changed returns a channel that receives a value when a background delegate has
// ended.
func (p *Pool) Changed() <-chan struct{} { return p.changed }

// HasFinished reports whether Finished would return anything.
func (p *Pool) HasFinished() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.finished) > 0
}

// Finished is a background delegate that has ended.
type Finished struct {
	End *event.DelegateEnd
	// Task is its prompt if the user started it, which the model has not seen; otherwise
	// it is empty.
	Task string
}

// Finished returns the background delegates that have ended since its previous call.
func (p *Pool) Finished() []Finished {
	p.mu.Lock()
	defer p.mu.Unlock()
	finished := p.finished
	p.finished = nil
	return finished
}

// addFinished queues the end of a delegate for Finished.
func (p *Pool) addFinished(e Finished) {
	p.mu.Lock()
	p.finished = append(p.finished, e)
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// List emits the list of delegates. It answers the command to if that has an ID.
func (p *Pool) List(to event.Ref) {
	now := p.now()
	now.Ref = to
	_ = p.host.Emit(now)
}

// now returns the delegates to list: all that have not ended, and the newest of those
// that have.
func (p *Pool) now() (list event.DelegatesNow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := max(maxListed-p.open(), 0) // number of ended delegates to list
	for _, d := range slices.Backward(p.all) {
		if !d.shown.Running() {
			if left == 0 {
				continue
			}
			left--
		}
		list.Delegates = append(list.Delegates, d.shown)
	}
	for _, d := range slices.Backward(p.earlier[max(len(p.earlier)-left, 0):]) {
		list.Delegates = append(list.Delegates, d)
	}
	slices.Reverse(list.Delegates)
	return list
}

// open returns the number of delegates that have not ended. It is called with the lock
// held.
func (p *Pool) open() (n int) {
	for _, d := range p.all {
		if d.shown.Running() {
			n++
		}
	}
	return n
}

// listSoon emits the list of delegates within listEvery.
func (p *Pool) listSoon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil && !p.closed {
		p.timer = time.AfterFunc(listEvery, func() {
			p.mu.Lock()
			p.timer = nil
			p.mu.Unlock()
			p.List(event.Ref{})
		})
	}
}

// change updates the listed state of a delegate.
func (p *Pool) change(d *delegate, change func(*event.Delegate)) {
	p.mu.Lock()
	change(&d.shown)
	p.mu.Unlock()
	p.listSoon()
}

// Waiting sets whether a question of the delegate waits for the user.
func (p *Pool) Waiting(id int, waits bool) {
	if d := p.find(id); d != nil {
		p.change(d, func(s *event.Delegate) {
			if s.State = event.DelegateWorking; waits {
				s.State = event.DelegateWaiting
			}
		})
	}
}

// find returns the delegate of that ID; nil if there is none.
func (p *Pool) find(id int) *delegate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.all, func(d *delegate) bool { return d.task.ID == id }); i >= 0 {
		return p.all[i]
	}
	return nil
}

// running returns the running delegate of that ID.
func (p *Pool) running(id int) (*delegate, error) {
	d := p.find(id)
	if d == nil {
		return nil, fmt.Errorf("there is no delegate %d: /agents lists them", id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !d.shown.Running() {
		return nil, fmt.Errorf("%s has ended", d.task.Label)
	}
	return d, nil
}

// Steer sends a message of the user to a running delegate.
func (p *Pool) Steer(id int, text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("the message is empty: /agents steer N TEXT")
	}
	d, err := p.running(id)
	if err == nil && !d.orders.give(event.Prompt{Text: text}) {
		err = fmt.Errorf("%s has ended", d.task.Label)
	}
	return err
}

// Stop stops a running delegate.
func (p *Pool) Stop(id int) error {
	d, err := p.running(id)
	if err == nil {
		d.interrupt()
	}
	return err
}

// Detach lets a running delegate continue in the background.
func (p *Pool) Detach(id int) error {
	d, err := p.running(id)
	if err != nil {
		return err
	}
	if !p.detach(d) {
		return fmt.Errorf("%s works in the background already", d.task.Label)
	}
	return nil
}

// detach makes d work in the background. It reports false if it does already.
func (p *Pool) detach(d *delegate) bool {
	p.mu.Lock()
	already := d.shown.Background || !d.shown.Running()
	if !already {
		d.shown.Background = true
		close(d.detached)
	}
	p.mu.Unlock()
	p.listSoon()
	return !already
}

// Watch sends the events of a running delegate, and of no other, to the front end. ID 0
// stops watching.
func (p *Pool) Watch(id int) error {
	p.mu.Lock()
	p.watched = 0
	p.mu.Unlock()
	if id == 0 {
		return nil
	}
	d, err := p.running(id)
	if err == nil && !d.orders.give(watch{}) {
		err = fmt.Errorf("%s has ended", d.task.Label)
	}
	return err
}

// Start starts a delegate in the background for the user.
func (p *Pool) Start(name, prompt string) error {
	a, err := p.agent(name)
	if err != nil {
		return err
	}
	_, err = p.start(Task{Agent: a, Prompt: prompt}, "", true)
	return err
}

// agent returns the agent of that name. It also accepts other spellings of the name, and
// names of agents in other programs. The error lists all agents.
func (p *Pool) agent(name string) (Agent, error) {
	agents := p.o.Agents()
	var names []string
	for _, match := range []func(string) bool{
		func(n string) bool { names = append(names, n); return n == name },
		func(n string) bool { return foldKey(n) == foldKey(name) },
		func(n string) bool { return n == called(name) },
	} {
		if i := slices.IndexFunc(agents, func(a Agent) bool { return match(a.Name) }); i >= 0 {
			return agents[i], nil
		}
	}
	err := fmt.Errorf("there is no agent %q", phrase.Clip(name, 64))
	if near := phrase.Nearest(name, names); near != "" {
		err = fmt.Errorf("%w (did you mean %q?)", err, near)
	}
	return Agent{}, fmt.Errorf("%w. The agents are: %s", err, strings.Join(names, ", "))
}

// start starts a delegate for the tool call of that ID, which is empty if the user
// starts it. It works until it is done, its interrupt is called, or the pool closes.
func (p *Pool) start(t Task, call string, background bool) (*delegate, error) {
	if strings.TrimSpace(t.Prompt) == "" {
		return nil, errors.New("the prompt is empty: describe the task")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.host == nil {
		return nil, errors.New("no delegate can be started now")
	}
	if p.open() >= maxListed {
		return nil, fmt.Errorf("%d delegates work or wait already: start others when some have ended", maxListed)
	}
	t.Label = Label{t.Agent.Name, p.number(call)}
	delete(p.calls, call)
	d := &delegate{pool: p, host: p.host, task: t, call: call, orders: newCommandQueue(), detached: make(chan struct{}), done: make(chan struct{})}
	d.shown = event.Delegate{
		ID: t.ID, Call: call, Name: t.Name, Task: phrase.OneLine(t.Prompt, maxTask),
		State: event.DelegateQueued, Began: p.o.Now(), Background: background,
	}
	var ctx context.Context
	ctx, d.cancel = context.WithCancel(p.ctx)
	// Calls that run side by side start in any order.
	i, _ := slices.BinarySearchFunc(p.all, t.ID, func(d *delegate, id int) int { return d.task.ID - id })
	p.all = slices.Insert(p.all, i, d)
	p.working.Go(func() {
		defer close(d.done)
		defer d.cancel()
		d.work(ctx)
	})
	return d, nil
}

// reserve returns the ID that the delegate of a call will have.
func (p *Pool) reserve(call string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call != "" {
		p.calls[call] = p.number(call)
	}
	return p.calls[call]
}

// number returns the reserved ID of a call, or a new one. It is called with the lock
// held.
func (p *Pool) number(call string) int {
	if id, ok := p.calls[call]; ok {
		return id
	}
	p.last++
	return p.last
}

// maxTask is the length of a task in a list, in bytes.
const maxTask = 200

// String returns the name of the delegate: "explore 2".
func (l Label) String() string { return event.DelegateLabel(l.Name, l.ID) }
