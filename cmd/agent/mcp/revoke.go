package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/oauth2"

	"agent/internal/tui/ink"
)

// maxMetadata limits the metadata of an authorization server, in bytes.
const maxMetadata = 1 << 20

// endpoints notes the revocation endpoint of the authorization servers whose metadata
// (RFC 8414) a login reads. It is the transport of the client of the login.
type endpoints struct {
	mu      sync.Mutex
	revoke  map[string]string // by token endpoint
	through http.RoundTripper
}

// RoundTrip sends a request, and reads the metadata in the answer.
func (e *endpoints) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := e.through.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(req.URL.Path, "/.well-known/") {
		return res, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	var found struct {
		Token      string `json:"token_endpoint"`
		Revocation string `json:"revocation_endpoint"`
	}
	if json.Unmarshal(body, &found) == nil && found.Token != "" && found.Revocation != "" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.revoke[found.Token] = found.Revocation
	}
	return res, nil
}

// revocation returns the revocation endpoint of the server with that token endpoint; empty
// if it has none.
func (e *endpoints) revocation(token string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.revoke[token]
}

// revoke ends the validity of the tokens at the authorization server (RFC 7009): first that
// of the refresh token, with which others can be made.
func (l login) revoke(ctx context.Context) error {
	var first error
	for _, t := range [][2]string{{l.Refresh, "refresh_token"}, {l.Access, "access_token"}} {
		if t[0] == "" {
			continue
		}
		if err := l.revokeOne(ctx, t[0], t[1]); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// revokeOne revokes a token. A token that is not valid any more counts as revoked.
func (l login) revokeOne(ctx context.Context, token, hint string) error {
	u, err := url.Parse(l.RevokeURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("the URL of the revocation endpoint is not http or https")
	}
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	basic := l.ClientSecret != "" && l.AuthStyle != oauth2.AuthStyleInParams
	if !basic {
		form.Set("client_id", l.ClientID)
		if l.ClientSecret != "" {
			form.Set("client_secret", l.ClientSecret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		req.SetBasicAuth(url.QueryEscape(l.ClientID), url.QueryEscape(l.ClientSecret))
	}
	once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // another host must not get the token
	}}
	res, err := once.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", ink.SanitizeLine(u.Host), ink.SanitizeLine(res.Status))
	}
	return nil
}
