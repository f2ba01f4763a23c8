package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/link"
	"agent/internal/tui/ink"
)

// loginTime is how long the user has to decide in the browser.
const loginTime = 10 * time.Minute

func loginRun(ctx context.Context, opts *Options) error {
	all, err := opts.chosen()
	if err != nil {
		return err
	}
	setup, err := opts.Open()
	if err != nil {
		return err
	}
	s := all[0]
	switch {
	case !s.Remote():
		return fmt.Errorf("%s is a program: it needs no login. To give it credentials, use env in its configuration", s.Name)
	case s.Locate != nil:
		return fmt.Errorf("%s uses the credentials of a provider: agent login", s.Name)
	case s.OAuth == nil:
		return fmt.Errorf("%s uses the Authorization header in its configuration. Remove it to log in", s.Name)
	}
	if opts.Logins, err = opts.Logins.choose(opts.IO, opts.File, s.Name); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, loginTime)
	defer stop()
	return opts.logIn(ctx, s, setup.File.MCP.Servers[s.Name].OAuth)
}

// logIn logs in to a server and stores the tokens.
func (o *Options) logIn(ctx context.Context, s Configured, client settings.MCPAuth) error {
	listener, redirect, err := listen(client)
	if err != nil {
		return fmt.Errorf("listen for the answer of the browser: %w", err)
	}
	defer listener.Close()
	var got login
	seen := &endpoints{revoke: map[string]string{}, through: http.DefaultTransport}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: &http.Client{Timeout: renewTime, Transport: seen},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return o.askBrowser(ctx, listener, redirect, args.URL)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			got = newLogin(s.URL, c, t)
			got.RevokeURL = seen.revocation(got.TokenURL)
			return oauth2.StaticTokenSource(t), nil
		},
	}
	if len(client.Scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return client.Scopes }
	}
	if client.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: client.ClientID}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "agent", RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	h, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	req, res, err := challenge(ctx, s)
	if err != nil {
		return err
	}
	if err := h.Authorize(ctx, req, res); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = errors.New("the login in the browser was not finished within " + loginTime.String())
		}
		return fmt.Errorf("log in to %s: %w", s.Name, err)
	}
	if err := o.Logins.locked(ctx, s.Name, func() error { return o.Logins.save(s.Name, got) }); err != nil {
		return err
	}
	where, _ := o.Logins.Has(s.Name)
	fmt.Fprintf(o.IO.Out, "Logged in to %s. The tokens are in %s.\n", s.Name, where)
	if got.Refresh == "" {
		fmt.Fprintln(o.IO.Out, "The server gave no refresh token: log in again when the token has expired.")
	}
	return nil
}

// listen returns a listener of this computer, and the address at which the browser reaches
// it.
func listen(client settings.MCPAuth) (listener net.Listener, redirect string, err error) {
	host := cmp.Or(client.Host, "127.0.0.1")
	at := host
	if host == "localhost" {
		at = "127.0.0.1"
	}
	listener, err = net.Listen("tcp", net.JoinHostPort(at, strconv.Itoa(client.Port)))
	if err != nil {
		return nil, "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return listener, "http://" + net.JoinHostPort(host, port) + "/callback", err
}

// challenge sends a request without credentials to a server, and returns it with the answer
// that says where to log in.
func challenge(ctx context.Context, s Configured) (*http.Request, *http.Response, error) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	once := &http.Client{Timeout: renewTime, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // another host must not get the headers
	}}
	res, err := once.Do(req)
	if err != nil {
		return nil, nil, err
	}
	if res.StatusCode != http.StatusUnauthorized {
		_ = res.Body.Close()
		return nil, nil, fmt.Errorf("%s does not ask for a login: it answers %s", s.Name, ink.SanitizeLine(res.Status))
	}
	return req, res, nil
}

// askBrowser shows the user the page at which to log in, and waits for the answer of the
// authorization server: at the listener, or in the address that the user pastes if the
// browser cannot reach it. Redirect is the address of the listener.
func (o *Options) askBrowser(ctx context.Context, listener net.Listener, redirect, page string) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the URL of the login page is not http or https: " + ink.SanitizeLine(page))
	}
	if u.User != nil || link.Host(page) == "" { // a reader takes the user name for the host
		return nil, errors.New("the URL of the login page hides its host: " + ink.SanitizeLine(page))
	}
	o.IO.Err.Say("To log in, open this page in a browser:\n\n  " + page + "\n\n")
	if o.Logins.Browse != nil && o.IO.Interactive() {
		if err := o.Logins.Browse(page); err != nil {
			o.IO.Warn("Cannot open a browser: %v. Open the page above yourself.\n", err)
		}
	}
	o.IO.Err.Say("Waiting for the login in the browser. To cancel: Ctrl+C\n")
	if o.IO.Interactive() {
		o.IO.Err.Say("If the browser then cannot open a page that begins with " + redirect + ",\ncopy its address, paste it here and press Enter.\n")
	}
	answer := newCallback(redirect, u.Query().Get("state"))
	serving, stop := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		answer.serve(serving, listener)
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		o.readPasted(serving, answer)
	}()
	defer func() {
		stop()
		<-served
		<-read
	}()
	select {
	case q := <-answer.answers:
		if why := q.Get("error"); why != "" {
			return nil, errors.New("the authorization server answers: " + ink.SanitizeLine(cmp.Or(q.Get("error_description"), why)))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func logoutRun(ctx context.Context, opts *Options) error {
	ctx, stop := context.WithTimeout(ctx, renewTime)
	defer stop()
	if !validName(opts.Name) {
		return command.Usage("%q is not the name of an MCP server", opts.Name)
	}
	found, old := false, login{}
	where, _ := opts.Logins.Has(opts.Name)
	err := opts.Logins.locked(ctx, opts.Name, func() (err error) {
		if text, err := opts.Logins.Store.Load(storeName(opts.Name)); err == nil {
			_ = json.Unmarshal([]byte(text), &old) // without tokens, there are none to revoke
		}
		found, err = opts.Logins.Store.Delete(storeName(opts.Name))
		return err
	})
	if err != nil || !found {
		return opts.noTokens(err)
	}
	fmt.Fprintf(opts.IO.Out, "Removed the tokens of %s from %s.\n", opts.Name, where)
	if old.RevokeURL == "" {
		return nil
	}
	if err := old.revoke(ctx); err != nil {
		opts.IO.Warn("the tokens could not be revoked, so they are valid until they expire: %v. To end the access now, use the settings of the service", err)
		return nil
	}
	fmt.Fprintln(opts.IO.Out, "The server has revoked them.")
	return nil
}

// noTokens explains why there are no tokens to remove; err is that of the store, or nil. The
// tokens of a server that is not configured any more can be removed, so the name is only
// checked then.
func (o *Options) noTokens(err error) error {
	setup, openErr := o.Open()
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	i := slices.IndexFunc(setup.Servers, func(s Configured) bool { return s.Name == o.Name })
	switch {
	case i >= 0 && !setup.Servers[i].Remote():
		return fmt.Errorf("%s is a program: it has no login", o.Name)
	case err != nil:
		return err
	case i < 0:
		return unknown(o.Name, names(setup.Servers))
	}
	return fmt.Errorf("there are no stored tokens for the MCP server %q", o.Name)
}

// validName reports whether a name can be that of a server: see settings.MCP.
func validName(name string) bool { return name != "" && serverName(name) == name }
