package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/elicit"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
)

const (
	// maxAsked is how many questions a server may ask during a call.
	maxAsked = 20
	// pageTime is how long a server may be silent after the user has opened a page, on which
	// they may have to log in.
	pageTime = 10 * time.Minute

	methodElicit = "elicitation/create"
)

// Reasons to decline a question, for the server's log and for the model.
const (
	noCall   = "no call of a tool is running"
	noUser   = "no user can answer in this run"
	tooOften = "the server asked more than 20 questions in one call"
)

// capabilities returns the capabilities of a client: servers may ask only if a user can answer.
func (s *server) capabilities() *sdk.ClientCapabilities {
	c := &sdk.ClientCapabilities{} // nil would announce roots
	if s.all.o.Asks {
		c.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	}
	if s.Root != "" {
		c.RootsV2 = &sdk.RootCapabilities{} //lint:ignore SA1019 servers still ask for roots
	}
	return c
}

// answerQuestions is the middleware for requests of the server. It replies to all questions
// itself, also those of a server that must not ask.
func (s *server) answerQuestions(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if p, ok := req.GetParams().(*sdk.ElicitParams); ok && p != nil && method == methodElicit {
			return s.elicit(ctx, p), nil
		}
		return next(ctx, method, req)
	}
}

// inResult replies to a question that a server sent as the result of a call. The SDK then
// repeats the call.
func (s *server) inResult(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	return s.elicit(ctx, r.Params), nil
}

// elicit asks the user what the server wants to know, and returns the reply.
func (s *server) elicit(ctx context.Context, p *sdk.ElicitParams) *sdk.ElicitResult {
	reply := s.ask(ctx, p)
	if reply.Why != "" {
		_, _ = fmt.Fprintf(&s.log, "[agent] declined a question of the server: %s\n", reply.Why)
	}
	return &sdk.ElicitResult{Action: string(reply.Action), Content: reply.Values}
}

// ask asks the user through a running call. If several calls run on the server, the
// question may belong to any of them: the protocol does not say to which.
func (s *server) ask(ctx context.Context, p *sdk.ElicitParams) elicit.Reply {
	calls := s.calls.all()
	if len(calls) == 0 {
		return elicit.Reply{Action: elicit.Decline, Why: noCall}
	}
	var names []string
	for _, c := range calls {
		names = append(names, c.tool)
	}
	series, err := s.series(p, strings.Join(slices.Compact(names), " or "))
	reply, through := elicit.Reply{}, calls[0]
	switch n := through.count(); {
	case err != nil:
		reply = elicit.Reply{Action: elicit.Decline, Why: err.Error()}
	case n > maxAsked:
		reply = elicit.Reply{Action: elicit.Decline, Why: tooOften}
	case through.user.Ask == nil:
		reply = elicit.Reply{Action: elicit.Decline, Why: noUser}
	default:
		reply = s.askUser(ctx, series, through, calls)
	}
	if reply.Action != elicit.Accept {
		through.note(reply)
	}
	return reply
}

// askUser asks the user through a call. It stops measuring the silence of the server
// meanwhile.
func (s *server) askUser(ctx context.Context, series elicit.Series, through *running, calls []*running) elicit.Reply {
	limit := s.Silence
	for _, c := range calls {
		resume := c.pause()
		defer func() { resume(limit) }()
	}
	ctx, stop := context.WithCancel(ctx) // ends with the request of the server or with the call
	defer stop()
	defer context.AfterFunc(through.ctx, stop)()
	select {
	case through.asking <- struct{}{}:
		defer func() { <-through.asking }()
	case <-ctx.Done():
		return elicit.Reply{Action: elicit.Cancel}
	}
	reply, err := series.Ask(func(q elicit.Question) (elicit.Answer, error) { return through.user.Ask(ctx, q) })
	switch {
	case err != nil:
		return elicit.Reply{Action: elicit.Cancel}
	case reply.Action == elicit.Accept && series.URL != "":
		limit = max(limit, pageTime)
	}
	return reply
}

// series returns the questions to the user, or why the user cannot be asked.
func (s *server) series(p *sdk.ElicitParams, tool string) (elicit.Series, error) {
	f := elicit.Form{Server: s.Name, Tool: clipped(tool), Message: elicit.Message(p.Message)}
	if p.Mode != "url" && p.URL == "" {
		series, err := elicit.NewSeries(f, p.RequestedSchema)
		if err != nil {
			err = fmt.Errorf("the user cannot be asked for the values of the form: %w", err)
		}
		return series, err
	}
	var err error
	if f.URL, err = elicit.Page(p.URL); err != nil {
		err = fmt.Errorf("the page cannot be opened: %w", err)
	}
	return elicit.Series{Form: f}, err
}

// pageDone notes that the user has finished on a page. The protocol does not say for which
// call, and the server has to answer again within the usual time.
func (s *server) pageDone(id string) {
	for _, c := range s.calls.all() {
		select {
		case c.pages <- id:
		default:
		}
		c.reported("the server reports that the page is done\n")
	}
}

// openPages asks the user to open the pages that the error of a call requires, and waits
// until the server reports that they are done. It returns nil if the call can be repeated,
// and err itself if it requires no page.
func (s *server) openPages(ctx context.Context, call *running, err error) error {
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || wire.Code != sdk.CodeURLElicitationRequired || json.Unmarshal(wire.Data, &data) != nil || len(data.Elicitations) == 0 {
		return err
	}
	open := map[string]bool{}
	for _, p := range data.Elicitations {
		reply := elicit.Reply{Action: elicit.Decline, Why: "the server named no page"}
		if p != nil && p.URL != "" {
			reply = s.ask(ctx, p)
			open[p.ElicitationID] = true
		}
		if reply.Action != elicit.Accept {
			return &pageError{s.Name, cmp.Or(reply.Why, "the user did not open it")}
		}
	}
	defer call.pause()(s.Silence)
	limit := time.After(s.Silence)
	for len(open) > 0 {
		select {
		case id := <-call.pages:
			delete(open, id)
		case <-limit:
			return &pageError{s.Name, "the user opened it. Ask the user to finish there, and call the tool again after that"}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pageError is the error of a call that requires a page on which the user has not finished.
type pageError struct{ server, why string }

func (e *pageError) Error() string {
	return "the MCP server " + e.server + " requires the user to open a page first: " + e.why
}

// count counts a question and returns the number of questions.
func (r *running) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.asked
}

// note records why a question was not answered.
func (r *running) note(reply elicit.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := reply.Why
	switch {
	case why != "":
	case reply.Action == elicit.Decline:
		why = "the user declined"
	default:
		why = "the question was cancelled"
	}
	r.declined++
	if len(r.reasons) < maxReasons && !slices.Contains(r.reasons, why) {
		r.reasons = append(r.reasons, why)
	}
}

// maxReasons limits the reasons in the result of a call.
const maxReasons = 3

// addQuestions says in the result of the call which questions were not answered.
func (r *running) addQuestions(got *tools.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.declined == 0 {
		return
	}
	count := phrase.Count(r.declined, "question")
	got.Text += fmt.Sprintf("[%s of the server without an answer: %s]\n", count, phrase.OneLine(strings.Join(r.reasons, "; "), maxStated))
	got.Summary += ", " + count + " declined"
}
