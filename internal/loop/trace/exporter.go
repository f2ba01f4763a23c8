package trace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// maxQueue is the number of spans that wait to be written, and of lines that wait
	// to be sent. More are dropped.
	maxQueue = 512
	// postTime limits one request to the collector.
	postTime = 5 * time.Second
)

// exporter appends spans to a file and sends them to a collector, in the background.
type exporter struct {
	version  string
	file     *os.File
	spans    chan *span
	lines    chan []byte // for the collector
	endpoint *url.URL    // nil for none
	header   http.Header
	client   *http.Client
	done     sync.WaitGroup
	problems chan string // for the user, one of each kind

	unwritten, unsent, dropped sync.Once // report the kinds of problems
}

// newExporter opens the file and starts the exporter. Canceling ctx stops sending.
func newExporter(ctx context.Context, o Options) (*exporter, error) {
	x := &exporter{version: o.Version, spans: make(chan *span, maxQueue), lines: make(chan []byte, maxQueue), problems: make(chan string, 3)}
	if err := x.setEndpoint(o.Endpoint, o.Headers); err != nil {
		return nil, err
	}
	if fi, err := os.Stat(o.File); err == nil && fi.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return nil, fmt.Errorf("open the trace file %s: it is a pipe or a socket. Name a regular file", o.File)
	}
	var err error
	if x.file, err = os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("open the trace file %s: %w. Name a file that can be written", o.File, err)
	}
	x.done.Go(x.write)
	x.done.Go(func() { x.post(ctx) })
	return x, nil
}

// setEndpoint sets the collector.
func (x *exporter) setEndpoint(endpoint, headers string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://127.0.0.1:4318")
	}
	x.endpoint = u.JoinPath("v1/traces")
	x.header = http.Header{"Content-Type": {"application/json"}}
	for pair := range strings.SplitSeq(headers, ",") {
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if strings.TrimSpace(pair) != "" && (!ok || err != nil) {
			return errors.New("OTEL_EXPORTER_OTLP_HEADERS must have the form name=value,name=value")
		}
		if ok {
			x.header.Set(strings.TrimSpace(name), value)
		}
	}
	// A redirect could take the headers to another host.
	x.client = &http.Client{Timeout: postTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return nil
}

// send queues a span. It never blocks.
func (x *exporter) send(s *span) {
	select {
	case x.spans <- s:
	default:
		x.report(&x.dropped, "The trace lacks spans, which could not be written or sent fast enough.")
	}
}

// write appends the spans to the file, until the first error, and queues them for the
// collector.
func (x *exporter) write() {
	defer close(x.lines)
	var broken error
	for s := range x.spans {
		line, err := request(s, x.version)
		if err == nil && broken == nil {
			_, broken = x.file.Write(line)
			err = broken
		}
		if err != nil {
			x.report(&x.unwritten, "The trace file is incomplete: "+err.Error())
		}
		if x.endpoint == nil || line == nil {
			continue
		}
		select {
		case x.lines <- line:
		default:
			x.report(&x.dropped, "The trace lacks spans, which could not be written or sent fast enough.")
		}
	}
	_ = x.file.Close()
}

// post sends the lines to the collector until ctx ends.
func (x *exporter) post(ctx context.Context) {
	for line := range x.lines {
		err := x.postLine(ctx, line)
		if ctx.Err() != nil {
			err = errors.New("it did not answer in time")
		}
		if err != nil {
			x.report(&x.unsent, fmt.Sprintf("Traces cannot be sent to %s: %v", x.endpoint.Host, err))
		}
	}
}

func (x *exporter) postLine(ctx context.Context, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.endpoint.String(), bytes.NewReader(line))
	if err != nil {
		return err
	}
	req.Header = x.header
	resp, err := x.client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok { // its text has the URL, which may hold a secret
			err = e.Err
		}
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %s", cmp.Or(http.StatusText(resp.StatusCode), resp.Status))
	}
	return nil
}

// report queues a message for the user, once.
func (x *exporter) report(once *sync.Once, text string) {
	once.Do(func() { x.problems <- text }) // it has room for all of them
}
