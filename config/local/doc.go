// Package local finds servers of models that run on this machine: Ollama, LM Studio, llama.cpp
// and vLLM, at the ports that they use.
//
// # Usage
//
//	ctx, cancel := context.WithTimeout(ctx, local.Limit)
//	defer cancel()
//	for _, s := range local.Find(ctx, local.Servers()) {
//		fmt.Println(s.Name, s.Address, len(s.Models))
//	}
//
// # Errors
//
// There are none: a server that does not answer in time, or answers something else, is not
// there.
//
// # Concurrency
//
// All servers are asked at the same time. Find returns when ctx ends at the latest, and
// everything that it has started has ended then.
package local
