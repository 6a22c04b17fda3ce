package engine

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
)

// vault stands for the key service of stacks: it hands out the key of a state as it
// was given. Secrets in states are encrypted with that. From a passphrase the CLI
// derives the key again in each command, which takes it longer than a small update.
var vault = sync.OnceValue(func() (url string) {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var key struct{ Plaintext, Ciphertext string }
		if err := json.NewDecoder(r.Body).Decode(&key); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]string{"plaintext": key.Ciphertext, "ciphertext": key.Plaintext}})
	})).URL
})
