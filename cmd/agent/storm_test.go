package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/sampling"
)

// stormRuns is the number of programs that a storm kills, unless STORM is set.
const stormRuns = 8

// TestKillStorm kills the program, in a terminal, at random times during turns that
// stream, run tools and edit. Each session is then read, resumed and given one more
// turn. Everything shown as finished is kept, every session can be resumed, and no
// tool runs twice.
func TestKillStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	runs := sampling.Runs(stormRuns)
	s := &storm{t: t, said: map[string]*stormRun{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.play))
	t.Cleanup(s.Close)

	// The kill comes at most as late as the longest of a few undisturbed turns.
	var longest time.Duration
	for script := range stormScripts {
		took := s.run(fmt.Sprintf("whole-%d", script), script, -1)
		longest = max(longest, took)
	}
	if t.Failed() {
		t.FailNow()
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, turns of up to %v", seed, longest)
	random := rand.New(rand.NewPCG(seed, 0))
	delays := make([]time.Duration, runs)
	for i := range delays {
		delays[i] = time.Duration(random.Int64N(int64(longest)))
	}
	var all sync.WaitGroup
	places := make(chan struct{}, 2)
	for i, d := range delays {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			s.run(fmt.Sprintf("run-%d", i), i%len(stormScripts), d)
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for what, figure := range map[string]int{
		"programs killed": runs,
		"records lost that were on screen as finished":              s.lost,
		"sessions that would not resume":                            s.dead,
		"tools run twice":                                           s.twice,
		"most bytes of a streaming answer lost that were on screen": s.unsaved,
	} {
		t.Attr("promise", fmt.Sprintf("kill -9 in mid-turn: %s: %d", what, figure))
	}
}

// storm is the server of all runs, which it identifies by model name, and their
// results.
type storm struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	said    map[string]*stormRun
	lost    int
	dead    int
	twice   int
	unsaved int
}

// stormRun is one run of the program.
type stormRun struct {
	script int
	step   int  // of the next answer
	second bool // the program was resumed
	bad    string
}

// stormScripts are the replies of the model, one step per line. A step ends with
// its calls. ID is replaced by the ID of the run.
var stormScripts = [][]answer{
	{{text: "STREAM"}},
	{
		{text: "First I look. STEP1", calls: []string{"read", `{"path":"a.txt"}`}},
		{text: "Now I run. STEP2", calls: []string{"shell", `{"command":"echo RUN-1 >> ran.log"}`}},
		{text: "And again. STEP3", calls: []string{"shell", `{"command":"echo RUN-2 >> ran.log; sleep 0.05; echo RUN-3 >> ran.log"}`}},
		{text: "That was all. STEP4 END"},
	},
	{
		{text: "I change two places. STEP1", calls: []string{"edit", `{"path":"a.txt","old":"one","new":"ONE"}`, "edit", `{"path":"a.txt","old":"two","new":"TWO"}`}},
		{text: "And a new file. STEP2", calls: []string{"write", `{"path":"b.txt","content":"new\n"}`, "shell", `{"command":"echo RUN-1 >> ran.log"}`}},
		{text: "STREAM STEP3"},
	},
}

// play answers in the OpenAI dialect. It sends long text in pieces.
func (s *storm) play(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req wireRequest
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	s.mu.Lock()
	run := s.said[req.Model]
	a := say("The script is over.")
	if run != nil {
		if steps := stormScripts[run.script]; !run.second && run.step < len(steps) {
			a = steps[run.step]
			run.step++
		}
		if why := unanswered(req.Messages); why != "" {
			run.bad = why
		}
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if rest, ok := strings.CutPrefix(a.text, "STREAM"); ok {
		for i := range 60 {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word%d \"}}]}\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(4 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		a.text = strings.TrimSpace(rest + " END")
	}
	_, _ = io.WriteString(w, a.completion())
}

// unanswered returns the calls of a conversation that do not have exactly one
// result.
func unanswered(msgs []wireMessage) string {
	results := map[string]int{}
	for _, m := range msgs {
		if m.Role == "tool" {
			results[m.ToolCallID]++
		}
	}
	for _, m := range msgs {
		for _, c := range m.ToolCalls {
			if results[c.ID] != 1 {
				return fmt.Sprintf("the call %s has %d results", c.ID, results[c.ID])
			}
		}
	}
	return ""
}

// run starts a program, kills it after delay (never if it is negative), and
// compares its session with its screen. It returns how long the program ran.
func (s *storm) run(name string, script int, delay time.Duration) time.Duration {
	s.mu.Lock()
	s.said[name] = &stormRun{script: script}
	s.mu.Unlock()
	dir, err := os.MkdirTemp("", "storm")
	if err != nil {
		s.t.Error(err)
		return 0
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		s.t.Error(err)
		return 0
	}
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "OPENAI_API_KEY=k", "OLLAMA_HOST=http://127.0.0.1:1"}
	args := []string{"--mode", "all", "--model", "openai/" + name, "--base-url", s.URL + "/v1"}

	shown, took := s.screen(dir, env, append(args, "the prompt of it"), delay)
	state, found := s.state(dir)
	if lost := missing(shown, state, found); lost != nil {
		s.fail(&s.lost, name, delay, "%d things were on the screen as finished and are lost: %q\n%s", len(lost), lost, shown)
	}
	s.streamed(shown, state)
	if delay < 0 {
		return took
	}
	s.resume(name, dir, env, args, found, delay)
	ran, _ := os.ReadFile(filepath.Join(dir, "ran.log"))
	for line := range strings.Lines(string(ran)) {
		if bytes.Count(ran, []byte(line)) > 1 {
			s.fail(&s.twice, name, delay, "a tool ran twice:\n%s", ran)
			break
		}
	}
	return took
}

// screen runs the program in a terminal and returns its last screen and how long it
// ran.
func (s *storm) screen(dir string, env, args []string, delay time.Duration) (string, time.Duration) {
	path, err := exec.LookPath("agent")
	if err != nil {
		s.t.Error(err)
		return "", 0
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	a, err := newTerminal(s.t, cmd, 120, 50)
	if err != nil {
		s.t.Error(err)
		return "", 0
	}
	began := time.Now()
	defer a.close()
	if delay < 0 {
		a.wait("END", "? help")
		took := time.Since(began)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		return a.screen(), took
	}
	timer := time.NewTimer(delay)
	select {
	case <-timer.C:
	case <-a.done:
		s.t.Errorf("the program exited:\n%s", a.screen())
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	<-a.done
	return a.screen(), time.Since(began)
}

// state reads the only session below dir.
func (s *storm) state(dir string) (session.State, bool) {
	store := history.Open(filepath.Join(dir, ".local", "state", "agent"))
	infos, err := store.List("")
	if err != nil {
		s.t.Error(err)
	}
	if len(infos) == 0 || session.IsUnused(store, infos[0].ID) { // killed before the prompt was stored
		return session.State{}, false
	}
	v, err := store.View(infos[0].ID)
	if err != nil {
		s.t.Error(err)
		return session.State{}, false
	}
	defer v.Close()
	state, err := session.ReplayLog(s.t.Context(), v, nil) // without a torn end
	if err != nil {
		s.t.Error(err)
	}
	return state, true
}

// finishedTool matches the line of a finished tool call: its mark and its title.
var finishedTool = regexp.MustCompile(`(?m)^[·✗] +(read|shell|edit|write) `)

// answered matches what follows an accepted prompt: an answer or a tool call.
var answered = regexp.MustCompile(`(?m)STEP|word0|^[·✗◦] `)

// missing returns the text and calls that the screen shows as finished but the
// session does not contain.
func missing(screen string, state session.State, found bool) (lost []string) {
	var said strings.Builder
	ended := 0
	for _, e := range state.Events {
		switch e := e.(type) {
		case *event.UserSaid:
			said.WriteString(e.Text + "\n")
		case *event.MessageDone:
			said.WriteString(e.Message.Text + "\n")
		case *event.ToolEnd:
			if e.Outcome != event.Uncertain && e.Outcome != event.Interrupted {
				ended++
			}
		}
	}
	// A prompt is drawn as soon as it is sent. What follows it shows that it was
	// taken.
	if answered.MatchString(screen) && (!found || !strings.Contains(said.String(), "the prompt of it")) {
		lost = append(lost, "the prompt")
	}
	if n := len(finishedTool.FindAllString(screen, -1)); n > ended {
		lost = append(lost, fmt.Sprintf("%d of %d tool results", n-ended, n))
	}
	for i := 1; i < 4; i++ {
		// What follows a step's text shows that the text was finished.
		this, next := fmt.Sprintf("STEP%d", i), fmt.Sprintf("STEP%d", i+1)
		if strings.Contains(screen, next) && !strings.Contains(said.String(), this) {
			lost = append(lost, this)
		}
	}
	return lost
}

var word = regexp.MustCompile(`word\d+ `)

// streamed records how much of a streaming answer was shown but not saved.
func (s *storm) streamed(screen string, state session.State) {
	kept := 0
	for _, m := range state.Messages {
		if m.Kind == llm.Assistant {
			kept += len(strings.Join(word.FindAllString(m.Text+" ", -1), ""))
		}
	}
	shown := len(strings.Join(word.FindAllString(strings.ReplaceAll(screen, "\n", " "), -1), ""))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved = max(s.unsaved, shown-kept)
}

// resume continues the session for one more turn.
func (s *storm) resume(name, dir string, env, args []string, found bool, delay time.Duration) {
	if !found {
		return // killed before the session existed, and nothing was shown
	}
	s.mu.Lock()
	s.said[name].second = true
	s.mu.Unlock()
	path, _ := exec.LookPath("agent")
	cmd := exec.Command(path, append([]string{"run", "--continue", "and now"}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	s.mu.Lock()
	bad := s.said[name].bad
	s.mu.Unlock()
	if err != nil || !strings.Contains(string(out), "The script is over.") || bad != "" {
		s.fail(&s.dead, name, delay, "it was not resumed: %v, %s\n%s", err, bad, out)
	}
}

// fail reports a failure of the run.
func (s *storm) fail(n *int, name string, delay time.Duration, format string, args ...any) {
	s.mu.Lock()
	*n++
	s.mu.Unlock()
	s.t.Errorf("%s, killed after %v: %s", name, delay, fmt.Sprintf(format, args...))
}
