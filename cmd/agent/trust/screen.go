package trust

import "agent/internal/tui/screen"

// Screen returns what the screen needs for /trust. R may be nil.
func (r *Review) Screen() screen.Trust {
	if r == nil {
		return screen.Trust{}
	}
	return screen.Trust{
		Items: func() (all []screen.TrustItem, problems []string) {
			items, errs := r.Items()
			for _, i := range items {
				all = append(all, screen.TrustItem{Kind: string(i.Kind), Name: i.Name, File: i.File, Content: i.Content, Effect: i.effect(), Live: i.Live, Offer: i.Offer, Confirmed: r.Confirmed(i), Changed: r.Changed(i)})
			}
			for _, err := range errs {
				problems = append(problems, err.Error())
			}
			return all, problems
		},
		Decide: func(i screen.TrustItem, confirm bool) error {
			item := Item{Kind: Kind(i.Kind), Name: i.Name, Content: i.Content}
			if confirm {
				return r.Confirm(item)
			}
			return r.Revoke(item)
		},
	}
}
