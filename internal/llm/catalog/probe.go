package catalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"agent/internal/llm/wire"
)

// ProbeTime is the default time limit for probing all servers on this machine.
const ProbeTime = 150 * time.Millisecond

const (
	maxProbe = 4 << 20 // bytes of a response
	maxShown = 32      // models of a server that are queried one by one
)

// Server is a running server on this machine.
type Server struct {
	Row     Row
	BaseURL string
	Models  []Served // those for conversations
	Owner   Owner    // of the listening process
}

// Served is a model of a server on this machine.
type Served struct {
	Name    string
	Context int   // context window in tokens as the server runs the model, 0 if unknown
	Assumed bool  // Context is a guess
	Tools   *bool // nil if unknown
	Vision  *bool
}

// Probe queries the servers on this machine concurrently and returns those that
// respond within in.Wait, in the order of the table. It only connects to
// loopback addresses.
func (in Input) Probe(ctx context.Context) []Server {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.Wait, ProbeTime))
	defer cancel()
	p := prober{http: oneRequest(nil)} // no proxy for this machine
	rows := slices.DeleteFunc(in.Changes.Providers(), func(r Row) bool { return !r.Local || r.Dialect == Builtin })
	found := make([]*Server, len(rows))
	var all sync.WaitGroup
	for i, r := range rows {
		base, _, err := in.address(r)
		if err != nil || !loopback(base) {
			continue
		}
		all.Go(func() {
			if models, err := p.models(ctx, r, base); err == nil {
				found[i] = &Server{Row: r, BaseURL: base, Models: models, Owner: in.ownerOf(base)}
			}
		})
	}
	all.Wait()
	var servers []Server
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

// loopback reports whether the base URL is on this machine.
func loopback(base string) bool { return wire.Loopback(base) }

// Nearby returns the default model among trusted servers: the first that
// supports tool calls, else the first that may, else the first.
func (in Input) Nearby(servers []Server) (Choice, bool) {
	best, at := Choice{}, 3
	for _, s := range servers {
		if s.Owner != Trusted {
			continue
		}
		for _, m := range s.Models {
			c := in.servedChoice(s, m)
			rank := 1
			if t := c.Info.Tools; t != nil && *t {
				rank = 0
			} else if t != nil {
				rank = 2
			}
			if rank < at {
				best, at = c, rank
			}
		}
	}
	best.Why = fmt.Sprintf("%s runs on this machine at %s, and no other model is connected", best.Provider.Name, hostOf(best.BaseURL))
	return best, at < 3
}

// servedChoice returns the choice of a model of a server on this machine.
func (in Input) servedChoice(s Server, m Served) Choice {
	c := Choice{Provider: s.Row, Model: m.Name, BaseURL: s.BaseURL, Info: in.Changes.served(s.Row, m, false)}
	return in.withLimits(c)
}

// withServed returns i with the data of the server.
func (i Info) withServed(m Served) Info {
	if m.Context > 0 {
		i.Context, i.Assumed = m.Context, m.Assumed
	}
	i.Tools = cmp.Or(m.Tools, i.Tools)
	i.Vision = cmp.Or(m.Vision, i.Vision)
	return i
}

// Measured returns c with the data of its server, if that runs on this machine
// and has the model.
func (in Input) Measured(ctx context.Context, c Choice) Choice {
	if !c.Provider.Local || c.Offline() || !loopback(c.BaseURL) {
		return c
	}
	only := in
	only.Changes.Rows = nil
	for _, r := range in.Changes.Providers() {
		r.Local = r.Local && r.Name == c.Provider.Name
		only.Changes.Rows = append(only.Changes.Rows, r)
	}
	for _, s := range only.Probe(ctx) {
		for _, m := range s.Models {
			if m.Name == c.Model || m.Name == c.Model+":latest" {
				m.Name = c.Model
				c.told(m)
				c.Info = in.Changes.served(c.Provider, m, c.Provider.moved(c.urlSource))
			}
		}
	}
	return c
}

// oneRequest returns a client for single requests. It follows no redirects, so
// that a key is sent nowhere else.
func oneRequest(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: proxy, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// prober queries servers.
type prober struct {
	http    sender
	headers http.Header // sent with every request
}

// sender sends a request. An http.Client is one.
type sender interface {
	Do(*http.Request) (*http.Response, error)
}

// withoutURL returns the text of an error without the request URL, which may
// hold secrets.
func withoutURL(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return err.Error()
}

var errOtherServer = errors.New("another kind of server is running there")

// statusError is the HTTP status of a response without a list.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(e)) }

// refused reports whether err is the answer of a server that does not list its models.
func refused(err error) bool {
	_, ok := errors.AsType[statusError](err)
	return ok
}

// ask requests address and decodes the JSON response into to.
func (p prober) ask(ctx context.Context, method, address string, body []byte, to any) error {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return errors.New(withoutURL(err))
	}
	maps.Copy(req.Header, p.headers)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.http.Do(req)
	if err != nil {
		return errors.New(withoutURL(err))
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return statusError(res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxProbe))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// get is ask with the method GET.
func (p prober) get(ctx context.Context, address string, to any) error {
	return p.ask(ctx, http.MethodGet, address, nil, to)
}
