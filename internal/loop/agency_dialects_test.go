package loop_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
)

// tongue is a dialect of a server that answers every request validly.
type tongue struct {
	name     string
	provider func(at wire.Endpoint) provider
	text     func(text string) string // the stream of an answer
	call     func(id, name, arguments string) string
	none     string // in a request that allows no tool call
}

// tongues returns all dialects.
func tongues() (all []tongue) {
	none := map[string]string{"openai": `"tool_choice":"none"`, "anthropic": `"tool_choice":{"type":"none"`}
	for _, d := range dialects() {
		end := func(reason llm.Reason) string { return d.end(0) + d.finish(reason, "100", "10") + d.done() }
		begin := strings.Replace(d.begin(), `"input_tokens":10,`, `"input_tokens":100,`, 1)
		all = append(all, tongue{
			d.name(), d.provider,
			func(text string) string { return begin + d.text(0, text) + end(llm.Stop) },
			func(id, name, arguments string) string {
				return begin + d.call(0, id, name, arguments) + end(llm.Calls)
			},
			none[d.name()],
		})
	}
	return append(all, tongue{
		"responses",
		func(at wire.Endpoint) provider {
			at.Authorize = wire.Bearer(secret)
			return responses.New(responses.Options{Endpoint: at})
		},
		func(text string) string {
			return completed(`{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":` + quoted(text) + `}]}`)
		},
		func(id, name, arguments string) string {
			return completed(fmt.Sprintf(`{"id":"fc_1","type":"function_call","call_id":%s,"name":%s,"status":"completed","arguments":%s}`, quoted(id), quoted(name), quoted(arguments)))
		},
		`"tool_choice":"none"`,
	})
}

// completed returns the stream of a response with one item.
func completed(item string) string {
	return fmt.Sprintf("event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":%s}\n\n"+
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[%s],\"usage\":{\"input_tokens\":100,\"output_tokens\":10}}}\n\n", item, item)
}

// The parts that an office plays, by the system prompt of the request.
const (
	chief      = "chief"
	specialist = "specialist"
)

// office is a model server that plays a chief, who delegates, and a specialist. A
// request that allows no tool call gets the answer "last words".
type office struct {
	*httptest.Server
	mu     sync.Mutex
	tongue tongue
	// plans are the calls of a part, in order: a name and its argument. After the last
	// one it says that it is done.
	plans map[string][]string
	asked []string // for each request its part, followed by "!" if it allowed no call
}

func newOffice(t *testing.T, in tongue, plans map[string][]string) *office {
	o := &office{tongue: in, plans: plans}
	o.Server = httptest.NewServer(http.HandlerFunc(o.answer))
	t.Cleanup(o.Close)
	return o
}

func (o *office) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	part := chief
	if strings.Contains(string(body), "You are a "+specialist) {
		part = specialist
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.Contains(string(body), o.tongue.none) {
		o.asked = append(o.asked, part+"!")
		_, _ = io.WriteString(w, o.tongue.text("last words"))
		return
	}
	o.asked = append(o.asked, part)
	left := o.plans[part]
	if len(left) == 0 {
		_, _ = io.WriteString(w, o.tongue.text("the "+part+" is done"))
		return
	}
	o.plans[part] = left[1:]
	name, argument, _ := strings.Cut(left[0], " ")
	arguments := args(argument)
	if name == "delegate" {
		arguments = `{"agent":"` + specialist + `","prompt":` + quoted(argument) + `}`
	}
	_, _ = io.WriteString(w, o.tongue.call(fmt.Sprintf("call_%d", len(o.asked)), name, arguments))
}
