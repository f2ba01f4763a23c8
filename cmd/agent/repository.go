package main

import (
	"agent/cmd/agent/command"
	"agent/cmd/agent/languages"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/tui/screen"
)

// repositorySources returns what finds the items of a repository that need the user's
// confirmation.
func repositorySources(set settings.Settings) []trust.Source {
	return []trust.Source{hookItems, languages.Source(set)}
}

// openTrust returns the review of what the repository of the current directory configures.
func openTrust() (*trust.Review, error) {
	dir, err := command.Absolute(".")
	if err != nil {
		return nil, err
	}
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	p, err := permit.Collect(dir, permit.Flags{}, file, systemFile)
	if err != nil {
		return nil, err
	}
	for _, n := range p.Notices {
		command.System().Warn("%s", n)
	}
	return trust.NewReview(dir, p.File, p.Project.Confirmed, repositorySources(file.Settings)...), nil
}

// screenTrust returns what the screen needs for /trust.
func (a *app) screenTrust() screen.Trust {
	if a.trust == nil {
		return screen.Trust{}
	}
	return screen.Trust{
		Items: func() (all []screen.TrustItem, problems []string) {
			items, errs := a.trust.Items()
			for _, i := range items {
				all = append(all, screen.TrustItem{Kind: string(i.Kind), Name: i.Name, File: i.File, Content: i.Content, Live: i.Live, Offer: i.Offer, Confirmed: a.trust.Confirmed(i)})
			}
			for _, err := range errs {
				problems = append(problems, err.Error())
			}
			return all, problems
		},
		Decide: func(i screen.TrustItem, confirm bool) error {
			item := trust.Item{Kind: trust.Kind(i.Kind), Name: i.Name, File: i.File, Content: i.Content, Live: i.Live, Offer: i.Offer}
			if confirm {
				return a.trust.Confirm(item)
			}
			return a.trust.Revoke(item)
		},
	}
}
