package script

import "errors"

// hold keeps something of Go that the machine then knows by a number, for as long as the host
// lives.
func (h *host) hold(v any) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.held[h.last] = v
	return h.last
}

var errGone = errors.New("this part of the terminal is gone")

// held returns what hold has kept.
func held[T any](h *host, n int) (T, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.held[n].(T)
	if !ok {
		return v, errGone
	}
	return v, nil
}
