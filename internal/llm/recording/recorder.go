package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody limits the recorded part of a body, in bytes.
const maxBody = 64 << 20

// Recorder writes traffic to a file. It is safe for concurrent use.
type Recorder struct {
	begun  time.Time
	report func(error)

	mu    sync.Mutex
	file  *os.File // stays open until the process exits
	names []string // models that are recorded
	err   error    // first write error
}

// Create creates the file. It fails if the file exists. Report gets the first error of
// writing it, after which nothing more is written. It must not block.
func Create(path, program string, report func(error)) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already. Name a new file", path)
	}
	if err != nil {
		return nil, err
	}
	r := &Recorder{begun: time.Now(), report: report, file: f}
	r.write(Header{Recording: Format, Program: program})
	return r, r.err
}

// Add records how a model was connected, once. It removes secrets from the base URL.
func (r *Recorder) Add(m Model) {
	r.mu.Lock()
	known := slices.Contains(r.names, m.Name)
	m.BaseURL = redacted(m.BaseURL)
	r.names = append(r.names, m.Name)
	r.mu.Unlock()
	if !known {
		r.write(m)
	}
}

func (r *Recorder) write(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if err == nil {
		_, err = r.file.Write(b.Bytes())
	}
	if r.err = err; err != nil {
		r.report(err)
	}
}

// Wrap returns a transport that records what next does.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper { return &recording{r, next} }

// recording is the transport of a Recorder.
type recording struct {
	r    *Recorder
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	secrets := secretsOf(req)
	x := &Exchange{Request: Request{
		At: time.Since(t.r.begun).Milliseconds(), Method: req.Method,
		URL: redacted(req.URL.String()), Headers: keptHeaders(req.Header),
	}}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			b, _ := io.ReadAll(body)
			_ = body.Close()
			x.Request.setBody(remove(string(b), secrets))
		}
	}
	begun := time.Now()
	res, err := t.next.RoundTrip(req)
	x.Response.After = time.Since(begun).Milliseconds()
	if err != nil {
		x.Response.Error = remove(err.Error(), secrets)
		t.r.write(x)
		return nil, err
	}
	x.Response.Status, x.Response.Headers = res.StatusCode, keptHeaders(res.Header)
	for name, v := range x.Response.Headers {
		x.Response.Headers[name] = remove(v, secrets)
	}
	res.Body = &recordedBody{ReadCloser: res.Body, r: t.r, x: x, secrets: secrets, last: time.Now()}
	return res, nil
}

// setBody sets the body of a request.
func (r *Request) setBody(text string) {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) == nil {
		r.JSON = b.Bytes()
		return
	}
	r.Text = text
}

// CloseIdleConnections closes idle connections, as http.Client.CloseIdleConnections expects.
func (t *recording) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// recordedBody is the body of a response. It writes the exchange when the body has ended
// or is closed.
type recordedBody struct {
	io.ReadCloser
	r       *Recorder
	x       *Exchange
	secrets []string
	last    time.Time // of the previous piece
	size    int
	once    sync.Once
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && b.size < maxBody {
		now := time.Now()
		b.x.Response.Body = append(b.x.Response.Body, newPiece(now.Sub(b.last).Milliseconds(), p[:n]))
		b.last, b.size = now, b.size+n
	}
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close ends the exchange, if the end of the body was not read.
func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.end(errors.New("the program closed the connection"))
	return err
}

// end writes the exchange.
func (b *recordedBody) end(err error) {
	b.once.Do(func() {
		if !errors.Is(err, io.EOF) {
			b.x.Response.Error = remove(err.Error(), b.secrets)
		}
		if b.size >= maxBody {
			b.x.Response.Error = fmt.Sprintf("only the first %d MiB were recorded", maxBody>>20)
		}
		b.x.Response.removeSecrets(b.secrets)
		b.r.write(b.x)
	})
}

// removeSecrets removes secrets from the body. A body that had one becomes one piece,
// because a secret may be divided between two.
func (r *Response) removeSecrets(secrets []string) {
	var all strings.Builder
	var wait int64
	for _, p := range r.Body {
		all.Write(p.bytes())
		wait += p.Wait
	}
	if text := remove(all.String(), secrets); text != all.String() {
		r.Body = []Piece{newPiece(wait, []byte(text))}
	}
}
