package acp

import (
	"context"
	"encoding/base64"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/cmd/agent/desktop"
	"agent/internal/loop/event"
	"agent/internal/realpath"
	"agent/internal/tui/slash"
)

// commandOf returns the command for a prompt: a slash command, or a prompt to the model.
func (s *session) commandOf(ctx context.Context, blocks []acp.ContentBlock) (event.Command, error) {
	prompt, err := s.promptOf(ctx, blocks)
	if err != nil {
		return nil, err
	}
	if name, args, ok := slashCommand(prompt.Text); ok {
		switch c, err := s.slash(ctx, name, args); c := c.(type) {
		case nil:
		case event.Prompt:
			c.Images = prompt.Images
			return c, err
		case awaitedPrompt:
			c.Images = prompt.Images
			return c, err
		default:
			return c, err
		}
		if _, _, ok := slash.Parse(prompt.Text); ok { // neither a path nor several lines
			return nil, s.unknown(name)
		}
	}
	if prompt.IsEmpty() {
		return nil, invalid("the prompt is empty")
	}
	return prompt, nil
}

// promptOf returns the blocks of a prompt as one prompt. Text and links stay in their
// order. Embedded resources follow the text that refers to them.
func (s *session) promptOf(ctx context.Context, blocks []acp.ContentBlock) (event.Prompt, error) {
	var p event.Prompt
	var text, resources strings.Builder
	images := desktop.Images{Dir: s.opened.Dir}
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
			p.Mentions = append(p.Mentions, event.Resources(b.Text.Text)...)
		case b.ResourceLink != nil:
			text.WriteString(s.nameOf(b.ResourceLink.Uri))
		case b.Resource != nil:
			if t := b.Resource.Resource.TextResourceContents; t != nil {
				name := s.nameOf(t.Uri)
				text.WriteString(name)
				resources.WriteString("\n\n" + name + ":\n" + fence("", t.Text))
			} else {
				return p, invalid("embedded resources must be text: attach an image, or link to the file")
			}
		case b.Image != nil:
			content, err := base64.StdEncoding.DecodeString(b.Image.Data)
			if err != nil {
				return p, invalid("the image is not valid base64: %v", err)
			}
			img, err := images.Content(ctx, content)
			if err != nil {
				return p, invalid("%v", err)
			}
			p.Images = append(p.Images, img)
		default:
			return p, invalid("audio is not supported")
		}
	}
	p.Text = strings.ToValidUTF8(strings.TrimSpace(text.String()+resources.String()), "\uFFFD")
	return p, nil
}

// nameOf returns the name of a resource for the model: the path of a file, relative to the
// session's directory if it is inside, with the fragment that names its lines; otherwise
// the URI.
func (s *session) nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if filepath.Separator != '/' { // "/C:/a.go"
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if rel, in := realpath.Rel(path, s.opened.Dir); in {
		path = rel
	}
	if u.Fragment != "" {
		path += "#" + u.Fragment
	}
	return path
}
