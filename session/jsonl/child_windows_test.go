package jsonl_test

func childFull(string) {}
