package local

import "github.com/rondo-agent/rondo/ai"

// Records reads an answer of the server.
func (s *Server) Records(answer []byte) []*ai.Model {
	var all []*ai.Model
	for _, m := range s.read(answer) {
		all = append(all, s.record(m))
	}
	return all
}
