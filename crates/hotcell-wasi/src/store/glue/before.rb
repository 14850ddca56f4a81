# The C library of Ruby's WASI build begins in /, whatever the working directory of the process is.
begin
  Dir.chdir(ENV["PWD"]) if ENV["PWD"]
rescue SystemCallError
end
