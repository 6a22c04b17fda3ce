package check

// shortPassword is how long a password is at least that nobody guesses by trying.
const shortPassword = 8

// Password is that of a user, an input at a path. Given is one of a user who is elsewhere, where it was chosen.
type Password struct {
	Path  string
	Text  *string
	Given bool
}

// Passwords warns of those that are soon guessed, and of those that two users have. It shows none.
func (l *List) Passwords(all ...Password) {
	for i, p := range all {
		if p.Text == nil || *p.Text == "" {
			continue
		}
		if !p.Given && len([]rune(*p.Text)) < shortPassword {
			l.Add(p.Path, "has fewer than %d characters: it is soon guessed", shortPassword).Quiet()
		}
		for _, other := range all[:i] {
			if other.Text != nil && *other.Text == *p.Text {
				l.Add(p.Path, "is the same as %s: whoever learns one knows both", other.Path).Quiet().Needing(other.Path)
				break
			}
		}
	}
}
