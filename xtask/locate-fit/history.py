"""history.py: messages and files of the 3,000 commits before each base commit, along first parents. Writes owner+name.hist."""
import json,subprocess,pickle,sys
tasks=json.load(open('swe_lite.json'))
for repo in sorted({t['repo'] for t in tasks}):
    key=repo.replace('/','+'); git=['git','-C',f'MIRROR/{key}/repo']
    need={}; allc=set()
    for t in tasks:
        if t['repo']!=repo: continue
        r=subprocess.run(git+['rev-list','--first-parent','-n','3000',t['base_commit']],capture_output=True,text=True).stdout.split()
        need[t['instance_id']]=r; allc.update(r)
    p=subprocess.run(git+['log','--stdin','--no-walk=unsorted','-m','--first-parent','--name-only','--format=%x01%H%x02%B%x03'],input='\n'.join(allc),capture_output=True,text=True,errors='replace').stdout
    com={}
    for e in p.split('\x01')[1:]:
        h,rest=e.split('\x02',1); msg,files=rest.split('\x03',1)
        com[h]=(msg,[f for f in files.split('\n') if f.endswith('.py')])
    pickle.dump((need,com),open(f'{key}.hist','wb')); print(repo,len(need),len(com),flush=True)
