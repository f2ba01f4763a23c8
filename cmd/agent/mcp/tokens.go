package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"agent/cmd/agent/command"
	"agent/internal/history/filelock"
)

const (
	// renewBefore is how long before its end a token is renewed.
	renewBefore = 30 * time.Second
	// renewTime limits the renewal of a token, and the wait for another process that
	// renews it.
	renewTime = 30 * time.Second
	// lockPause is the time between attempts to get the lock.
	lockPause = 20 * time.Millisecond
)

// TokenStore stores the tokens of servers by name. The keyring, or a file if the user has
// chosen that, is the real one.
type TokenStore interface {
	Has(name string) (where string, ok bool)
	Load(name string) (string, error) // empty if there are none
	Save(name, text string) error
	Delete(name string) (found bool, err error)
}

// Logins are the logins to servers with OAuth
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization).
type Logins struct {
	Store TokenStore
	Dir   string // of the lock files
	// Choose lets the user choose where the tokens of a login are stored: see
	// credentials.Choice. It returns Store, or one that saves tokens there. It may be nil.
	Choose func(streams command.IO, file bool, server string) (TokenStore, error)
	// Browse opens a page in the user's browser. It may be nil.
	Browse func(url string) error
}

// login is a stored login: the tokens, and the client and the authorization server that
// renew them. It is not used for another URL, so that the tokens of one server never reach
// another.
type login struct {
	URL          string           `json:"url"` // of the MCP server
	TokenURL     string           `json:"token_url"`
	RevokeURL    string           `json:"revocation_url,omitempty"` // empty if it revokes no tokens
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style,omitempty"`
	Access       string           `json:"access_token"`
	Refresh      string           `json:"refresh_token,omitempty"`
	Expires      time.Time        `json:"expires,omitzero"` // zero if it is unknown
}

// newLogin returns the login to store for a token.
func newLogin(url string, c *oauth2.Config, t *oauth2.Token) login {
	return login{URL: url, TokenURL: c.Endpoint.TokenURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret, AuthStyle: c.Endpoint.AuthStyle,
		Access: t.AccessToken, Refresh: t.RefreshToken, Expires: t.Expiry}
}

// usable reports whether the access token may be sent.
func (l login) usable(rejected string) bool {
	return l.Access != "" && l.Access != rejected && (l.Expires.IsZero() || time.Until(l.Expires) > renewBefore)
}

// renewed returns the login with new tokens of the authorization server.
func (l login) renewed(ctx context.Context) (login, error) {
	c := &oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.AuthStyle}}
	t, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: l.Refresh}).Token()
	if err != nil {
		return l, err
	}
	next := newLogin(l.URL, c, t)
	next.RevokeURL = l.RevokeURL
	return next, nil
}

// storeName is the name of the tokens of a server in the store.
func storeName(server string) string { return "mcp:" + server }

// Has reports whether the user has logged in to a server, and where the tokens are.
func (l *Logins) Has(server string) (where string, ok bool) { return l.Store.Has(storeName(server)) }

// choose returns the logins with the store that the user chooses for the tokens of a login.
func (l *Logins) choose(streams command.IO, file bool, server string) (*Logins, error) {
	if l.Choose == nil {
		return l, nil
	}
	store, err := l.Choose(streams, file, server)
	if err != nil {
		return nil, err
	}
	return &Logins{Store: store, Dir: l.Dir, Browse: l.Browse}, nil
}

// load returns the login to a server with that URL; empty if there is none.
func (l *Logins) load(server, url string) (login, error) {
	text, err := l.Store.Load(storeName(server))
	if err != nil || text == "" {
		return login{}, err
	}
	var out login
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.URL != url {
		return login{}, nil
	}
	return out, nil
}

func (l *Logins) save(server string, all login) error {
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return l.Store.Save(storeName(server), string(b))
}

// locked calls f while no other process uses the tokens of a server.
func (l *Logins) locked(ctx context.Context, server string, f func() error) error {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(l.Dir, "mcp-"+server+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		got, err := filelock.Try(file)
		if err != nil {
			return err
		}
		if got {
			break
		}
		select {
		case <-ctx.Done():
			return errors.New("another process does not finish renewing the tokens of the MCP server " + server)
		case <-time.After(lockPause):
		}
	}
	defer func() { _ = filelock.Unlock(file) }()
	return f()
}

// Handler authorizes the requests to a server with the tokens of its login. It renews and
// saves them, and never opens a browser. It implements auth.OAuthHandler and is safe for
// concurrent use.
type Handler struct {
	logins      *Logins
	server, url string

	mu       sync.Mutex
	current  login
	rejected string // an access token that the server has rejected
}

// Handler returns the handler for a server with that URL.
func (l *Logins) Handler(server, url string) *Handler {
	return &Handler{logins: l, server: server, url: url}
}

// TokenSource returns h; nil if the user has not logged in.
func (h *Handler) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if _, ok := h.logins.Has(h.server); !ok {
		return nil, nil
	}
	return h, nil
}

// Token returns a token that the server has not rejected and that has not expired; nil if
// there is none for the URL of the server.
func (h *Handler) Token() (*oauth2.Token, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.current.usable(h.rejected) {
		ctx, stop := context.WithTimeout(context.Background(), renewTime)
		defer stop()
		if err := h.logins.locked(ctx, h.server, func() error { return h.renew(ctx) }); err != nil {
			return nil, err
		}
	}
	if h.current.Access == "" {
		return nil, nil
	}
	return &oauth2.Token{AccessToken: h.current.Access, Expiry: h.current.Expires}, nil
}

// renew reads the tokens that another process may have renewed, and renews them if it has
// not. An authorization server may accept every refresh token only once, so the new one is
// saved at once.
func (h *Handler) renew(ctx context.Context) error {
	l, err := h.logins.load(h.server, h.url)
	if err != nil {
		return err
	}
	if !l.usable(h.rejected) && l.Refresh != "" {
		if l, err = l.renewed(ctx); err != nil {
			return err
		}
		err = h.logins.save(h.server, l)
	}
	h.current = l
	return err
}

// Authorize renews the token after the server has rejected it.
func (h *Handler) Authorize(_ context.Context, req *http.Request, res *http.Response) error {
	_ = res.Body.Close()
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if ok && res.StatusCode == http.StatusUnauthorized {
		h.mu.Lock()
		h.rejected = token
		h.mu.Unlock()
		if got, err := h.Token(); err == nil && got != nil && got.AccessToken != token {
			return nil
		}
	}
	return fmt.Errorf("the MCP server %s needs a login: agent mcp login %s", h.server, h.server)
}
